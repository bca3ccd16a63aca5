// Hostile templates end with an error that names the line, soon and without harm.
#include <gtest/gtest.h>
#include <string>

#include "engine/chat/jinja/template.h"

namespace tandem::engine::jinja {
namespace {

using Json = nlohmann::ordered_json;

std::string error_of(const std::string& source, const Json& variables = Json::object()) {
  const auto parsed = Template::parse(source);
  if (!parsed) return parsed.error().detail;
  // A tenth of what is allowed in use, to keep the tests fast.
  Limits limits;
  limits.steps /= 10;
  limits.output_bytes /= 10;
  const auto text = (*parsed)->render(variables, limits);
  return text ? "rendered " + std::to_string(text->size()) + " bytes" : text.error().detail;
}

std::string repeat(const std::string& text, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += text;
  return out;
}

void expect_error(const std::string& source, const std::string& part, const Json& variables = Json::object()) {
  const std::string error = error_of(source, variables);
  EXPECT_NE(error.find(part), std::string::npos) << error << "\nfrom: " << source.substr(0, 200);
}

TEST(JinjaLimits, SourceBeyondOneMebibyteIsRefused) {
  expect_error(std::string((1 << 20) + 1, 'x'), "at most 1048576");
}

TEST(JinjaLimits, DeepBlocksAreRefused) {
  expect_error(repeat("{% if 1 %}", 65) + repeat("{% endif %}", 65), "blocks nest deeper than 64");
  EXPECT_EQ(error_of(repeat("{% if 1 %}", 64) + "x" + repeat("{% endif %}", 64)), "rendered 1 bytes");
}

TEST(JinjaLimits, DeepExpressionsAreRefused) {
  for (const std::string& source :
       {"{{ " + repeat("(", 5000) + "1" + repeat(")", 5000) + " }}", "{{ " + repeat("[", 5000) + repeat("]", 5000) + " }}",
        "{{ " + repeat("not ", 5000) + "1 }}", "{{ " + repeat("- ", 5000) + "1 }}", "{{ 1" + repeat(" + 1", 5000) + " }}",
        "{{ 1" + repeat(" if 1 else 1", 5000) + " }}", "{{ x" + repeat(".a", 5000) + " }}", "{{ x" + repeat("|e", 5000) + " }}",
        "{{ x" + repeat("[x", 5000) + repeat("]", 5000) + " }}", "{{ x" + repeat("(x", 5000) + repeat(")", 5000) + " }}",
        "{{ 1" + repeat(" is in 1", 5000) + " }}", "{% set " + repeat("(", 5000) + "a" + repeat(")", 5000) + " = 1 %}",
        "{{ 1" + repeat(" and 1", 5000) + " }}", "{{ {" + repeat("1: {", 5000) + repeat("}", 5001) + " }}",
        "{{ x" + repeat("|map(x", 5000) + repeat(")", 5000) + " }}"}) {
    expect_error(source, "nest");
  }
}

TEST(JinjaLimits, EndlessRecursionEnds) {
  expect_error("{% macro f() %}{{ f() }}{% endmacro %}\n{{ f() }}",
               "chat template, line 1: macro calls and recursive loops nest");
  expect_error("{% macro a() %}{{ b() }}{% endmacro %}{% macro b() %}{{ a() }}{% endmacro %}{{ a() }}", "nest deeper than 100");
  expect_error("{% for x in [1] recursive %}{{ loop([1]) }}{% endfor %}", "nest deeper than 100");
  expect_error("{% macro f() %}{% call f() %}{{ caller() }}{% endcall %}{{ caller() }}{% endmacro %}{{ f() }}",
               "nest deeper than");
  // Deep expressions in each of many calls: the sum is bounded, whatever the parts are.
  expect_error("{% macro f() %}{{ 1" + repeat(" + 1", 190) + " + f()|int }}{% endmacro %}{{ f() }}", "nest deeper than");
  expect_error("{% macro f() %}{{ (" + repeat("[", 180) + "f()" + repeat("]", 180) + ") }}{% endmacro %}{{ f() }}", "nest");
}

TEST(JinjaLimits, EndlessWorkEnds) {
  const std::string loop = "{% for a in range(100000) %}{% for b in range(100000) %}";
  expect_error(loop + "{% endfor %}{% endfor %}", "steps");
  expect_error(loop + "{{ x }}{% endfor %}{% endfor %}", "the output grows", {{"x", std::string(1000, 'x')}});
  expect_error("{% for a in range(100000) %}{% if x == y %}{% endif %}{% endfor %}", "steps",
               {{"x", std::string(1 << 20, 'x')}, {"y", std::string(1 << 20, 'x')}});
  expect_error("{% for a in range(100000) %}{{ x.find(y) }}{% endfor %}", "steps",
               {{"x", std::string(1 << 20, 'x')}, {"y", std::string(1 << 19, 'x') + "y"}});
}

TEST(JinjaLimits, GrowingValuesEnd) {
  expect_error("{{ range(100001) }}", "longer than 100000");
  expect_error("{{ range(0, 9223372036854775807, 1) }}", "longer than");
  expect_error("{{ 'x' * 99999999999 }}", "repeated beyond");
  expect_error("{{ [1] * 99999999999 }}", "repeated beyond");
  expect_error("{% set ns = namespace(s='x' * 1000) %}{% for i in range(100) %}{% set ns.s = ns.s + ns.s %}{% endfor %}",
               "bytes");
  expect_error("{% set ns = namespace(l=[1, 2]) %}{% for i in range(100) %}{% set ns.l = ns.l + ns.l %}{% endfor %}", "steps");
  expect_error("{% set ns = namespace(l=[1]) %}{% for i in range(60) %}{% set ns.l = [ns.l, ns.l] %}{% endfor %}{{ ns.l }}",
               "grows beyond");
  expect_error("{% set ns = namespace(l=[]) %}{% for i in range(100) %}{% set ns.l = [ns.l] %}{% endfor %}",
               "values nest deeper than 64");
  expect_error("{{ '%99999d' % 1 }}", "width");
  expect_error("{{ '{:99999}'.format(1) }}", "width");
  expect_error("{{ '%.99999f' % 1.5 }}", "beyond");
  expect_error("{{ 'x'.center(99999999) }}", "width");
  expect_error("{{ 2 ** 200 }}", "127 bits");
  expect_error("{{ 170141183460469231731687303715884105727 + 1 }}", "127 bits");
  expect_error("{{ (('a' * 100).split('a'))|join('b' * 1000000) }}", "grows beyond");
}

TEST(JinjaLimits, OutputIsBounded) {
  Limits limits;
  limits.output_bytes = 1000;
  const auto parsed = Template::parse("{% for x in range(1000) %}\nabc\n{% endfor %}");
  ASSERT_TRUE(parsed.has_value());
  const auto text = (*parsed)->render(Json::object(), limits);
  ASSERT_FALSE(text.has_value());
  EXPECT_EQ(text.error().detail, "chat template, line 2: the output grows beyond 1000 bytes");
}

TEST(JinjaLimits, ObjectsThatHoldEachOtherAreFreed) {
  // Checked by the leak sanitizer; long chains also must not be freed recursively.
  EXPECT_EQ(error_of("{% set a = namespace() %}{% set a.self = a %}{% set b = namespace(a=a) %}{% set a.b = b %}x"),
            "rendered 1 bytes");
  EXPECT_EQ(error_of("{% set ns = namespace(p=none) %}{% for i in range(5000) %}{% set ns.p = cycler(ns.p) %}{% endfor %}x"),
            "rendered 1 bytes");
  EXPECT_EQ(error_of("{% set ns = namespace(p=none) %}{% for i in range(5000) %}{% for q in [ns.p] %}{% set ns.p = loop %}"
                     "{% endfor %}{% endfor %}x"),
            "rendered 1 bytes");
  EXPECT_EQ(error_of("{% set ns = namespace(p=none) %}{% for i in range(5000) %}{% set q = ns.p %}{% macro m() %}{% endmacro %}"
                     "{% set ns.p = m %}{% endfor %}x"),
            "rendered 1 bytes");
}

TEST(JinjaLimits, ChainsOfMethodsEnd) {
  expect_error("{% set ns = namespace(x=1) %}{% for i in range(5000) %}{% set ns.x = [ns.x].index %}{% endfor %}",
               "values nest deeper than 64");
}

TEST(JinjaLimits, NamespacesPrintToABoundedDepth) {
  expect_error("{% set a = namespace() %}{% set a.self = a %}{{ a }}", "printed namespaces nest deeper than 16");
  EXPECT_EQ(error_of("{% set a = namespace(x=1) %}{% set b = namespace(a=a) %}{{ b }}"), "rendered 39 bytes");
}

TEST(JinjaLimits, FiltersThatApplyFiltersEnd) {
  expect_error("{{ 'a'|map(*(['map'] * 900))|list }}", "map needs a filter name", {});
  expect_error("{{ [[[1]]]|map('map', 'map', 'upper')|list }}", "rendered");
}

TEST(JinjaLimits, LoopsThatHoldThemselvesAreFreedAfterErrors) {
  expect_error("{% for x in [1] %}{{ loop.changed(loop) }}{{ 1 / 0 }}{% endfor %}", "division by zero");
}

// Work on long texts and long arguments counts, whatever its result is.
TEST(JinjaLimits, WorkOnLongTextsEnds) {
  const std::string loop = "{% set s = 'x' * 1000000 %}{% set u = '你' * 300000 %}{% for i in range(100000) %}";
  for (const std::string work :
       {"u[299999]", "u|last", "s is upper", "'y'.strip(s)", "s.isdigit()", "s.endswith(('zx', 'y' ~ s))", "'y'|trim(s)",
        "s is lt s", "s is sameas s", "loop.changed(s)", "s|reverse|length", "s|wordcount", "[u]|map(attribute=299999)|list"}) {
    expect_error(loop + "{% if " + work + " %}{% endif %}{% endfor %}", "steps");
  }
  expect_error("{{ ['a']|map(attribute='0.' * 5000000 ~ '0')|list }}", "steps");
}

TEST(JinjaLimits, TextsOfSeparatorsAreNotTakenApart) {
  expect_error("{{ ('\\n' * 1000001).splitlines()|length }}", "more than 1000000 lines");
  expect_error("{{ ('\\n' * 1000001)|indent }}", "more than 1000000 lines");
  expect_error("{{ ('a' * 1000001).split('a')|length }}", "more than 1000000 parts");
  expect_error("{{ ('a' * 1000001).rsplit('a')|length }}", "more than 1000000 parts");
  expect_error("{{ ('a ' * 1000002).split()|length }}", "more than 1000000 parts");
}

TEST(JinjaErrors, LongMessagesAreCut) {
  const std::string error = error_of("{{ raise_exception('你' * 100000) }}");
  EXPECT_EQ(error.size(), 4095 + std::string("…").size());
  EXPECT_TRUE(error.ends_with("你…"));
}

TEST(JinjaValues, RoundingBeyondWhatFitsIsAnError) {
  expect_error("{{ 170141183460469231731687303715884105727|round(-38) }}", "127 bits");
  EXPECT_EQ(error_of("{{ 12345|round(-2) }}"), "rendered 5 bytes");
}

TEST(JinjaLimits, DeepJsonIsRefused) {
  Json deep = 1;
  for (int i = 0; i < 70; ++i) deep = Json::array({deep});
  expect_error("{{ x|tojson }}", "nests deeper than 64", {{"x", deep}});
}

TEST(JinjaErrors, EveryErrorNamesItsLine) {
  EXPECT_EQ(error_of("a\nb\n{{ 1 +\n }}"), "chat template, line 4: expected an expression, got '}}'");
  EXPECT_EQ(error_of("\n{% for x in %}"), "chat template, line 2: expected an expression, got '%}'");
  EXPECT_EQ(error_of("\n\n{% if 1 %}\n\n"),
            "chat template, line 3: 'if' is not closed: 'elif' or 'else' or 'endif' is missing");
  EXPECT_EQ(error_of("{# a\n b #}\n{{ x.y }}"), "chat template, line 3: 'x' is undefined");
  EXPECT_EQ(error_of("{% macro m() %}\n{{ 1 / 0 }}{% endmacro %}\n{{ m() }}"), "chat template, line 2: division by zero");
  EXPECT_EQ(error_of("\n{{ 1|nope }}"), "chat template, line 2: there is no filter 'nope'");
  EXPECT_EQ(error_of("\n{% include 'x' %}"),
            "chat template, line 2: 'include' is not allowed: a chat template may not use other templates");
}

TEST(JinjaErrors, RaiseExceptionGivesItsMessageAlone) {
  EXPECT_EQ(error_of("\n{{ raise_exception('No.') }}"), "No.");
}

TEST(JinjaErrors, VariablesCannotReplaceGlobals) {
  expect_error("x", "the variable name 'namespace' is reserved", {{"namespace", 1}});
}

TEST(JinjaValues, InvalidUtf8BecomesReplacementCharacters) {
  const auto parsed = Template::parse("{{ x }}\xFF");
  ASSERT_TRUE(parsed.has_value());
  const auto text = (*parsed)->render({{"x", "a\xC3"}});
  ASSERT_TRUE(text.has_value());
  EXPECT_EQ(*text, "a\xEF\xBF\xBD\xEF\xBF\xBD");
}

}  // namespace
}  // namespace tandem::engine::jinja
