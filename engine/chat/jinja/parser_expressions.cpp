#include <algorithm>

#include "engine/chat/jinja/limits.h"
#include "engine/chat/jinja/parser.h"
#include "engine/chat/jinja/template_error.h"

namespace tandem::engine::jinja {

// Bounds the parser's own recursion, which brackets, "not not …" and "- - …" drive.
class NestingGuard {
 public:
  explicit NestingGuard(Parser& parser) : parser_(parser) {
    if (++parser_.expression_nesting_ > kMaxExpressionDepth) {
      parser_.fail_at(parser_.current().line, "an expression nests deeper than " + std::to_string(kMaxExpressionDepth));
    }
  }
  ~NestingGuard() { --parser_.expression_nesting_; }
  NestingGuard(const NestingGuard&) = delete;
  NestingGuard& operator=(const NestingGuard&) = delete;

 private:
  Parser& parser_;
};

ExprPtr Parser::parse_tuple(bool with_conditional, std::string_view end_name, bool in_parentheses) {
  const int line = current().line;
  std::vector<ExprPtr> items;
  bool is_tuple = false;
  while (true) {
    if (!items.empty()) expect_operator(",");
    if (at_tuple_end(end_name)) break;
    items.push_back(with_conditional ? parse_expression() : parse_or());
    if (!at_operator(",")) break;
    is_tuple = true;
  }
  if (!is_tuple) {
    if (!items.empty()) return std::move(items.front());
    if (!in_parentheses) fail_unexpected("an expression");
  }
  ExprPtr tuple = make(ExprKind::kTuple, line);
  for (ExprPtr& item : items) adopt(*tuple, std::move(item));
  return tuple;
}

ExprPtr Parser::parse_expression() {
  const NestingGuard guard(*this);
  ExprPtr expr = parse_or();
  while (at_name("if")) {
    const int line = take().line;
    ExprPtr conditional = make(ExprKind::kConditional, line);
    adopt(*conditional, parse_or());
    adopt(*conditional, std::move(expr));
    adopt(*conditional, take_name("else") ? parse_expression() : nullptr);
    expr = std::move(conditional);
  }
  return expr;
}

ExprPtr Parser::parse_or() {
  ExprPtr left = parse_and();
  while (at_name("or")) {
    ExprPtr node = make(ExprKind::kOr, take().line);
    adopt(*node, std::move(left));
    adopt(*node, parse_and());
    left = std::move(node);
  }
  return left;
}

ExprPtr Parser::parse_and() {
  ExprPtr left = parse_not();
  while (at_name("and")) {
    ExprPtr node = make(ExprKind::kAnd, take().line);
    adopt(*node, std::move(left));
    adopt(*node, parse_not());
    left = std::move(node);
  }
  return left;
}

ExprPtr Parser::parse_not() {
  if (!at_name("not")) return parse_compare();
  const NestingGuard guard(*this);
  ExprPtr node = make(ExprKind::kUnary, take().line);
  node->name = "not";
  adopt(*node, parse_not());
  return node;
}

ExprPtr Parser::parse_compare() {
  ExprPtr left = parse_sum();
  ExprPtr node;
  while (true) {
    std::string op;
    if (current().kind == TokenKind::kOperator) {
      for (const std::string_view comparison : {"==", "!=", "<", "<=", ">", ">="}) {
        if (current().text == comparison) op = comparison;
      }
    } else if (at_name("in")) {
      op = "in";
    } else if (at_name("not") && look_ahead().kind == TokenKind::kName && look_ahead().text == "in") {
      take();
      op = "not in";
    }
    if (op.empty()) break;
    const int line = take().line;
    if (node == nullptr) {
      node = make(ExprKind::kCompare, line);
      adopt(*node, std::move(left));
    }
    node->operators.push_back(std::move(op));
    adopt(*node, parse_sum());
  }
  return node == nullptr ? std::move(left) : std::move(node);
}

ExprPtr Parser::parse_sum() {
  ExprPtr left = parse_concat();
  while (at_operator("+") || at_operator("-")) {
    ExprPtr node = make(ExprKind::kBinary, current().line);
    node->name = take().text;
    adopt(*node, std::move(left));
    adopt(*node, parse_concat());
    left = std::move(node);
  }
  return left;
}

ExprPtr Parser::parse_concat() {
  ExprPtr first = parse_product();
  if (!at_operator("~")) return first;
  ExprPtr node = make(ExprKind::kConcat, current().line);
  adopt(*node, std::move(first));
  while (take_operator("~")) adopt(*node, parse_product());
  return node;
}

ExprPtr Parser::parse_product() {
  ExprPtr left = parse_power();
  while (at_operator("*") || at_operator("/") || at_operator("//") || at_operator("%")) {
    ExprPtr node = make(ExprKind::kBinary, current().line);
    node->name = take().text;
    adopt(*node, std::move(left));
    adopt(*node, parse_power());
    left = std::move(node);
  }
  return left;
}

// Groups to the left and binds weaker than a sign, which is Jinja's way and not Python's.
ExprPtr Parser::parse_power() {
  ExprPtr left = parse_unary(true);
  while (at_operator("**")) {
    ExprPtr node = make(ExprKind::kBinary, current().line);
    node->name = take().text;
    adopt(*node, std::move(left));
    adopt(*node, parse_unary(true));
    left = std::move(node);
  }
  return left;
}

ExprPtr Parser::parse_unary(bool with_filters) {
  ExprPtr expr;
  if (at_operator("-") || at_operator("+")) {
    const NestingGuard guard(*this);
    expr = make(ExprKind::kUnary, current().line);
    expr->name = take().text;
    adopt(*expr, parse_unary(false));
  } else {
    expr = parse_primary();
  }
  expr = parse_postfix(std::move(expr));
  return with_filters ? parse_filters_and_tests(std::move(expr)) : std::move(expr);
}

ExprPtr Parser::parse_primary() {
  const int line = current().line;
  if (current().kind == TokenKind::kString) {
    std::string text = take().value.as_string();
    while (current().kind == TokenKind::kString) text += take().value.as_string();  // adjacent strings join
    ExprPtr expr = make(ExprKind::kConstant, line);
    expr->value = Value::text(std::move(text));
    return expr;
  }
  if (current().kind == TokenKind::kNumber) {
    ExprPtr expr = make(ExprKind::kConstant, line);
    expr->value = take().value;
    return expr;
  }
  if (current().kind == TokenKind::kName) {
    ExprPtr expr = make(ExprKind::kConstant, line);
    const std::string name = take().text;
    if (name == "true" || name == "True") {
      expr->value = Value::boolean(true);
    } else if (name == "false" || name == "False") {
      expr->value = Value::boolean(false);
    } else if (name != "none" && name != "None") {
      expr->kind = ExprKind::kName;
      expr->name = name;
      names_read_.insert(name);
    }
    return expr;
  }
  if (take_operator("(")) {
    const NestingGuard guard(*this);
    ExprPtr expr = parse_tuple(true, "", true);
    expect_operator(")");
    return expr;
  }
  if (at_operator("[")) return parse_list();
  if (at_operator("{")) return parse_dict();
  fail_unexpected("an expression");
}

ExprPtr Parser::parse_list() {
  ExprPtr list = make(ExprKind::kList, take().line);
  while (!at_operator("]")) {
    if (!list->children.empty()) expect_operator(",");
    if (at_operator("]")) break;
    adopt(*list, parse_expression());
  }
  expect_operator("]");
  return list;
}

ExprPtr Parser::parse_dict() {
  ExprPtr dict = make(ExprKind::kDict, take().line);
  while (!at_operator("}")) {
    if (!dict->children.empty()) expect_operator(",");
    if (at_operator("}")) break;
    adopt(*dict, parse_expression());
    expect_operator(":");
    adopt(*dict, parse_expression());
  }
  expect_operator("}");
  return dict;
}

ExprPtr Parser::parse_postfix(ExprPtr expr) {
  while (true) {
    if (at_operator(".") || at_operator("[")) {
      expr = parse_subscript(std::move(expr));
    } else if (at_operator("(")) {
      expr = parse_call(std::move(expr));
    } else {
      return expr;
    }
  }
}

ExprPtr Parser::parse_filters_and_tests(ExprPtr expr) {
  while (true) {
    if (take_operator("|")) {
      expr = parse_filter(std::move(expr));
    } else if (at_name("is")) {
      expr = parse_test(std::move(expr));
    } else if (at_operator("(")) {
      expr = parse_call(std::move(expr));
    } else {
      return expr;
    }
  }
}

ExprPtr Parser::parse_subscript(ExprPtr expr) {
  const Token open = take();
  if (open.text == ".") {
    if (current().kind == TokenKind::kName) {
      ExprPtr node = make(ExprKind::kAttribute, open.line);
      node->name = take().text;
      adopt(*node, std::move(expr));
      return node;
    }
    if (current().kind != TokenKind::kNumber || !current().value.is_int()) fail_unexpected("a name or an index");
    ExprPtr node = make(ExprKind::kSubscript, open.line);
    ExprPtr index = make(ExprKind::kConstant, current().line);
    index->value = take().value;
    adopt(*node, std::move(expr));
    adopt(*node, std::move(index));
    return node;
  }
  ExprPtr node = make(ExprKind::kSubscript, open.line);
  adopt(*node, std::move(expr));
  std::vector<ExprPtr> items;
  while (!at_operator("]")) {
    if (!items.empty()) expect_operator(",");
    items.push_back(parse_subscript_item());
  }
  if (items.empty()) fail_unexpected("an index");
  expect_operator("]");
  if (items.size() == 1) {
    adopt(*node, std::move(items.front()));
    return node;
  }
  ExprPtr tuple = make(ExprKind::kTuple, open.line);
  for (ExprPtr& item : items) {
    if (item->kind == ExprKind::kSlice) fail_at(open.line, "a slice cannot be part of a tuple index");
    adopt(*tuple, std::move(item));
  }
  adopt(*node, std::move(tuple));
  return node;
}

ExprPtr Parser::parse_subscript_item() {
  const int line = current().line;
  ExprPtr start;
  if (!at_operator(":")) {
    start = parse_expression();
    if (!at_operator(":")) return start;
  }
  expect_operator(":");
  const auto at_part_end = [this] { return at_operator(":") || at_operator("]") || at_operator(","); };
  ExprPtr stop = at_part_end() ? nullptr : parse_expression();
  ExprPtr step;
  if (take_operator(":") && !at_part_end()) step = parse_expression();
  ExprPtr slice = make(ExprKind::kSlice, line);
  adopt(*slice, std::move(start));
  adopt(*slice, std::move(stop));
  adopt(*slice, std::move(step));
  return slice;
}

ExprPtr Parser::parse_call(ExprPtr callee) {
  ExprPtr node = make(ExprKind::kCall, current().line);
  adopt(*node, std::move(callee));
  adopt_arguments(*node, parse_arguments());
  return node;
}

std::string Parser::parse_dotted_name() {
  std::string name = expect_name();
  while (take_operator(".")) name += "." + expect_name();
  return name;
}

ExprPtr Parser::parse_filter(ExprPtr input) {
  ExprPtr node = make(ExprKind::kFilter, current().line);
  node->name = parse_dotted_name();
  adopt(*node, std::move(input));
  if (at_operator("(")) adopt_arguments(*node, parse_arguments());
  return node;
}

ExprPtr Parser::parse_test(ExprPtr input) {
  take();  // is
  const bool negated = take_name("not");
  ExprPtr node = make(ExprKind::kTest, current().line);
  node->name = parse_dotted_name();
  adopt(*node, std::move(input));
  const bool starts_operand = current().kind == TokenKind::kString || current().kind == TokenKind::kNumber ||
                              at_operator("[") || at_operator("{") ||
                              (current().kind == TokenKind::kName && !at_name("else") && !at_name("or") && !at_name("and"));
  if (at_operator("(")) {
    adopt_arguments(*node, parse_arguments());
  } else if (starts_operand) {
    if (at_name("is")) fail_at(current().line, "tests cannot be chained with 'is'");
    const NestingGuard guard(*this);
    Arguments arguments;
    arguments.positional.push_back(parse_postfix(parse_primary()));
    adopt_arguments(*node, std::move(arguments));
  }
  if (!negated) return node;
  ExprPtr negation = make(ExprKind::kUnary, node->line);
  negation->name = "not";
  adopt(*negation, std::move(node));
  return negation;
}

Arguments Parser::parse_arguments() {
  Arguments arguments;
  const int line = current().line;
  expect_operator("(");
  const auto require = [&](bool allowed) {
    if (!allowed) fail_at(line, "a call's arguments are out of order: positional, named, *list, **dict");
  };
  bool is_first = true;
  while (!at_operator(")")) {
    if (!is_first) {
      expect_operator(",");
      if (at_operator(")")) break;
    }
    is_first = false;
    if (take_operator("*")) {
      require(arguments.rest_positional == nullptr && arguments.rest_named == nullptr);
      arguments.rest_positional = parse_expression();
    } else if (take_operator("**")) {
      require(arguments.rest_named == nullptr);
      arguments.rest_named = parse_expression();
    } else if (current().kind == TokenKind::kName && look_ahead().kind == TokenKind::kOperator && look_ahead().text == "=") {
      require(arguments.rest_named == nullptr);
      std::string name = take().text;
      take();
      for (const auto& [other, value] : arguments.named) {
        if (other == name) fail_at(line, "the argument '" + name + "' is given twice");
      }
      arguments.named.emplace_back(std::move(name), parse_expression());
    } else {
      require(arguments.rest_positional == nullptr && arguments.rest_named == nullptr && arguments.named.empty());
      arguments.positional.push_back(parse_expression());
    }
  }
  expect_operator(")");
  return arguments;
}

}  // namespace tandem::engine::jinja
