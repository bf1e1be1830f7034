"""Seeds of the fuzz target for HPCToolkit 2: a small database with one of everything, whole and damaged. A seed is
experiment.xml and two tables one behind the other, after the lengths of the first two."""
import struct

XML = b"""<?xml version="1.0"?>
<!DOCTYPE HPCToolkitExperiment [
<!ELEMENT HPCToolkitExperiment (Header, SecCallPathProfile*)>
<!ATTLIST Metric show (1|0) "1">
<!ENTITY tool "a tool">
]>
<HPCToolkitExperiment version="2.1">
<Header n="program &amp; &tool;"/>
<SecCallPathProfile i="0" n="program"><SecHeader>
<MetricTable>
<Metric i="2" n="CPUTIME (usec):Sum (I)" v="derived-incr" t="inclusive" partner="3" md="time">
<MetricFormula t="combine" frm="sum($2, $2)"/></Metric>
<Metric i="3" n="CPUTIME (usec):Sum (E)" t="exclusive" partner="2"/>
<Metric i="4" n="GKER:COUNT:Sum (I)" t="inclusive" show="0"/>
<Metric i="5" n="GKER:BLK_THR_ACUMU:Mean (I)" t="inclusive"/>
<Metric i="6" n="GKER:BLK_THR:Sum (I)" t="inclusive"><MetricFormula t="view" frm="#5/#4"/></Metric>
</MetricTable>
<MetricDBTable>
<MetricDB i="0" n="CPUTIME (usec) (I)" t="inclusive" db-id="0" db-num-metrics="2"/>
<MetricDB i="1" n="CPUTIME (usec) (E)" t="exclusive" db-id="1" db-num-metrics="2"/>
</MetricDBTable>
<TraceDBTable><TraceDB i="0" db-glob="*.hpctrace"/></TraceDBTable>
<LoadModuleTable><LoadModule i="2" n="/bin/program"/></LoadModuleTable>
<FileTable><File i="3" n="./src/main.c"/><File i="4" n="&lt;unknown file&gt;"/></FileTable>
<ProcedureTable><Procedure i="5" n="&lt;program root&gt;" f="1"/><Procedure i="6" n="main"/><Procedure i="7" n="work"/>
</ProcedureTable>
</SecHeader>
<SecCallPathProfileData>
<M n="2" v="1e+02"/><M n="4" v="3"/>
<PF i="2" n="5" lm="2" f="4" l="0"><M n="2" v="100"/>
<C i="3" l="12"><M n="2" v="100"/><PF i="4" n="6" lm="2" f="3" l="10-20" v="{[0x1-0x2)}">
<L i="5" l="11-14" f="3"><S i="6" l="12"><M n="2" v="40"/></S></L>
<Pr i="7" n="7" lm="2" f="3" l="40" a="1"><S i="8" l="41" it="9"><M n="2" v="60"/></S></Pr>
<C i="9" l="16"><M n="2" v="1"/></C></PF></C></PF>
</SecCallPathProfileData></SecCallPathProfile></HPCToolkitExperiment>
"""


def table(rows, order=">", kind=b"b"):
    head = b"HPCPROF-metricdb__00.10" + kind + struct.pack(order + "ii", len(rows), 2)
    return head + b"".join(struct.pack(order + "dd", *row) for row in rows)


def seed(*files):
    return struct.pack("<2I", *map(len, files[:2])) + b"".join(files)


def seeds():
    rows = [(50, 0)] * 4 + [(20, 20)] * 2 + [(29, 29)] * 2 + [(1, 1)]
    whole = [XML, table(rows), table(rows, "<", b"l")]
    yield "whole", seed(*whole)
    yield "printed", seed(XML, b"", b"")
    for index, name in enumerate(("xml", "first", "second")):
        cut, loud = list(whole), list(whole)
        cut[index] = whole[index][:len(whole[index]) * 4 // 5]
        loud[index] = whole[index][:24] + b"\x7f" + b"\xff" * 7 + whole[index][32:]
        yield "cut_" + name, seed(*cut)
        yield "far_" + name, seed(*loud)
    yield "repeated", seed(XML.replace(b'i="6" l', b'i="5" l'), *whole[1:])
    yield "odd", seed(XML.replace(b"<L ", b"<Odd ").replace(b"</L>", b"</Odd>"), *whole[1:])
    yield "flat", seed(XML.replace(b"SecCallPathProfile", b"SecFlatProfile"), *whole[1:])
    yield "later", seed(XML.replace(b'version="2.1"', b'version="4.0"'), *whole[1:])
    yield "scope_in_name", seed(XML.replace(b' t="inclusive" db', b" db").replace(b' t="exclusive" db', b" db"),
                                *whole[1:])
    yield "finalized", seed(XML.replace(b't="view" frm="#5/#4"',
                                        b't="finalize" frm="sqrt(($5 / $4) - pow($6 / $4, 2)) + max(1, $4)"'), b"", b"")
