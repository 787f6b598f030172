"""Every RDF term the project uses, as N-Triples text, and the prefixes it writes them with.

A term is a plain string such as ``<https://w3id.org/benchkg/ns#Result>``: the text writer joins
such strings into lines without making an object of each. A name that is not in a vocabulary's
list raises ``AttributeError``, so that a misspelt term never becomes data.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

__all__ = [
    "BK",
    "BKS",
    "DCAT",
    "DCT",
    "DEFAULT_BASE",
    "DIRECTIONS",
    "FOAF",
    "KINDS",
    "MLS",
    "NP",
    "OWL",
    "PRODUCT_PAGE",
    "PROV",
    "QUDT",
    "RDF",
    "RDFS",
    "REPRODUCTION_TEXTS",
    "SCHEMA",
    "SH",
    "SKOS",
    "SPARQL_RESULTS",
    "SPLITS",
    "STORE",
    "UNIT",
    "UNITS",
    "XSD",
    "Vocabulary",
    "prefixes",
]

DEFAULT_BASE = "https://w3id.org/benchkg/id/"

PRODUCT_PAGE = "https://w3id.org/benchkg/"
"""Where the product says what it is, for the servers that it asks."""

SPARQL_RESULTS = "http://www.w3.org/2005/sparql-results#"
"""The XML namespace of SPARQL results."""


class Vocabulary:
    """The terms of one namespace: ``BK.Result`` is ``"<https://w3id.org/benchkg/ns#Result>"``.

    >>> BK.Result
    '<https://w3id.org/benchkg/ns#Result>'
    >>> "Result" in BK.names
    True
    """

    def __init__(self, namespace: str, names: str) -> None:
        self.namespace = namespace
        self.names = frozenset(names.split())
        # Set one by one, and without __getattr__ at run time, each is an attribute that Python finds fast.
        for name in self.names:
            setattr(self, name, f"<{namespace}{name}>")

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> str: ...


BK = Vocabulary(
    "https://w3id.org/benchkg/ns#",
    # classes
    """
    Benchmark BenchmarkPage Claim CollectionIndex ComparisonGroup Configuration DerivedProperty Direction
    EvaluationDataset Implementation Method Metric PageSnapshot Paper PaperPage PaperSnapshot Problem Quotation
    RecordStatus ReproductionStatus Result Score Severity Split Task UrlRepair
    """
    # properties
    """
    baseDatasetName benchmark canonicalJson claim code comparisonGroup concerns configuration configurationStatus
    configurationText coverageText dataset definedFor direction directionText disclaimer implementation
    message method metric metricText modifiedText originPaper originPaperStatus originPaperUrl pageCount pageNumber
    paperText parameter pointer quotedText recordedUrl reportedIn reportedInStatus reportedInUrl reproductionStatus
    reproductionText resultDate resultDateStatus resultDateText resultsLoaded resultsTotal rowIndex score scoresRead
    severity sha256 split splitText spread states task unitText urlRepair value valueStatus valueText
    """
    # individuals
    """
    ClaimUnknown Error HigherIsBetter LowerIsBetter NotRecorded OthersMethod OwnMethod Reproduced
    ReproductionFailed ReproductionNotAsserted SiteHostRemoved TestSplit TrainSplit Unreadable ValidationSplit
    Warning
    """,
)
DCAT = Vocabulary("http://www.w3.org/ns/dcat#", "byteSize")
DCT = Vocabulary("http://purl.org/dc/terms/", "created description identifier isPartOf modified title")
FOAF = Vocabulary("http://xmlns.com/foaf/0.1/", "Document page primaryTopic")
MLS = Vocabulary("http://www.w3.org/ns/mls#", "Algorithm EvaluationMeasure ModelEvaluation Run Task")
NP = Vocabulary("http://www.nanopub.org/nschema#", "Nanopublication hasAssertion hasProvenance hasPublicationInfo")
OWL = Vocabulary("http://www.w3.org/2002/07/owl#", "Class DatatypeProperty ObjectProperty Ontology versionInfo")
PROV = Vocabulary(
    "http://www.w3.org/ns/prov#",
    "Activity Entity SoftwareAgent endedAtTime specializationOf startedAtTime used wasAssociatedWith wasAttributedTo "
    "wasDerivedFrom wasQuotedFrom",
)
QUDT = Vocabulary("http://qudt.org/schema/qudt/", "hasUnit")
RDF = Vocabulary("http://www.w3.org/1999/02/22-rdf-syntax-ns#", "object predicate subject type value")
RDFS = Vocabulary("http://www.w3.org/2000/01/rdf-schema#", "comment isDefinedBy label")
SCHEMA = Vocabulary(
    "https://schema.org/",
    "Dataset PropertyValue ScholarlyArticle SoftwareSourceCode codeRepository identifier name sameAs value",
)
SH = Vocabulary("http://www.w3.org/ns/shacl#", "")
BKS = Vocabulary("https://w3id.org/benchkg/shapes#", "mayBeAbsent")
SKOS = Vocabulary("http://www.w3.org/2004/02/skos/core#", "Concept prefLabel")
STORE = Vocabulary("https://w3id.org/benchkg/store#", "lines series sha256 state statedBy view")
UNIT = Vocabulary("http://qudt.org/vocab/unit/", "PERCENT UNITLESS")
XSD = Vocabulary(
    "http://www.w3.org/2001/XMLSchema#",
    "boolean date dateTime decimal gYear gYearMonth hexBinary integer string",
)

DIRECTIONS = MappingProxyType({"Higher is better": BK.HigherIsBetter, "Lower is better": BK.LowerIsBetter})
"""The texts of a metric's direction that are known, and their terms."""

UNITS = MappingProxyType({"PERCENT": UNIT.PERCENT, "SCALAR": UNIT.UNITLESS})
"""The texts of a metric's unit that are known, and their terms."""

REPRODUCTION_TEXTS = MappingProxyType(
    {"This record does not assert independent reproduction.": BK.ReproductionNotAsserted}
)
"""What a page may say of reproduction, and its term; any other sentence is kept as text, without one."""

SPLITS = MappingProxyType(
    {
        "test": BK.TestSplit,
        "val": BK.ValidationSplit,
        "valid": BK.ValidationSplit,
        "validation": BK.ValidationSplit,
        "dev": BK.ValidationSplit,
        "train": BK.TrainSplit,
        "training": BK.TrainSplit,
    }
)
"""The words in brackets at the end of a dataset's name that name its split, and their terms."""

KINDS = MappingProxyType(
    {
        "ben": "benchmark",
        "dst": "dataset",
        "grp": "comparison",
        "imp": "implementation",
        "met": "metric",
        "mth": "method",
        "pap": "paper",
        "prb": "problem",
        "res": "result",
        "sco": "score",
        "snp": "snapshot",
        "tsk": "task",
        "vw": "view",
    }
)
"""Turtle prefix of each kind of node, and the kind's segment in its IRI."""

_SHARED_PREFIXES = {
    "bk": BK.namespace,
    "dcat": DCAT.namespace,
    "dct": DCT.namespace,
    "foaf": FOAF.namespace,
    "mls": MLS.namespace,
    "owl": OWL.namespace,
    "prov": PROV.namespace,
    "qudt": QUDT.namespace,
    "rdf": RDF.namespace,
    "rdfs": RDFS.namespace,
    "schema": SCHEMA.namespace,
    "skos": SKOS.namespace,
    "unit": UNIT.namespace,
    "xsd": XSD.namespace,
}


def prefixes(base: str = DEFAULT_BASE, sources: tuple[str, ...] = ("sota2",)) -> dict[str, str]:
    """Return prefix to namespace, for Turtle and SPARQL, sorted by prefix.

    The kinds of ``sota2`` go without the name of the source (``res:``), those of another source
    carry it (``pwc-res:``).

    >>> prefixes()["res"]
    'https://w3id.org/benchkg/id/sota2/result/'
    """
    made = dict(_SHARED_PREFIXES, cfg=f"{base}configuration/")
    for source in sources:
        stem = "" if source == "sota2" else f"{source}-"
        made.update({f"{stem}{prefix}": f"{base}{source}/{kind}/" for prefix, kind in KINDS.items()})
    return dict(sorted(made.items()))
