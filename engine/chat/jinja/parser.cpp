#include "engine/chat/jinja/parser.h"

#include <algorithm>

#include "engine/chat/jinja/limits.h"
#include "engine/chat/jinja/template_error.h"
#include "engine/chat/jinja/text.h"

namespace tandem::engine::jinja {
namespace {

std::string describe(const Token& token) {
  switch (token.kind) {
    case TokenKind::kText: return "text";
    case TokenKind::kVariableBegin: return "'{{'";
    case TokenKind::kVariableEnd: return "'}}'";
    case TokenKind::kBlockBegin: return "'{%'";
    case TokenKind::kBlockEnd: return "'%}'";
    case TokenKind::kString: return "the string " + quoted(token.value.as_string().substr(0, 40));
    case TokenKind::kEnd: return "the end of the template";
    default: return "'" + token.text.substr(0, 80) + "'";
  }
}

std::string join_tags(std::initializer_list<std::string_view> tags) {
  std::string out;
  for (const std::string_view tag : tags) out += (out.empty() ? "'" : " or '") + std::string(tag) + "'";
  return out;
}

bool is_assignable(const Expr& target) {
  switch (target.kind) {
    case ExprKind::kName:
    case ExprKind::kNamespaceRef: return true;
    case ExprKind::kTuple:
      return std::all_of(target.children.begin(), target.children.end(), [](const auto& c) { return is_assignable(*c); });
    default: return false;
  }
}

}  // namespace

Body Parser::parse() {
  return parse_body({}, 1, "");
}

Token Parser::take() {
  Token token = tokens_[token_idx_];
  if (token_idx_ + 1 < tokens_.size()) ++token_idx_;
  return token;
}
bool Parser::at_operator(std::string_view text) const {
  return current().kind == TokenKind::kOperator && current().text == text;
}
bool Parser::at_name(std::string_view text) const {
  return current().kind == TokenKind::kName && current().text == text;
}
bool Parser::take_operator(std::string_view text) {
  const bool found = at_operator(text);
  if (found) ++token_idx_;
  return found;
}
bool Parser::take_name(std::string_view text) {
  const bool found = at_name(text);
  if (found) ++token_idx_;
  return found;
}
void Parser::expect_operator(std::string_view text) {
  if (!take_operator(text)) fail_unexpected("'" + std::string(text) + "'");
}
void Parser::expect(TokenKind kind) {
  if (current().kind != kind) fail_unexpected(describe(Token{kind, "name", Value(), 0}));
  take();
}
std::string Parser::expect_name() {
  if (current().kind != TokenKind::kName) fail_unexpected("a name");
  return take().text;
}
void Parser::fail_at(int line, const std::string& message) const {
  throw TemplateError(TemplateError::Kind::kSyntax, message, line);
}
void Parser::fail_unexpected(std::string_view wanted) const {
  fail_at(current().line, "expected " + std::string(wanted) + ", got " + describe(current()));
}

// Statements until a tag of `end_tags`, whose name is then the current token; without end tags, the whole template.
Body Parser::parse_body(EndTags end_tags, int open_line, std::string_view open_tag) {
  Body body;
  while (true) {
    const int line = current().line;
    if (current().kind == TokenKind::kEnd) {
      if (end_tags.size() == 0) return body;
      fail_at(open_line, "'" + std::string(open_tag) + "' is not closed: " + join_tags(end_tags) + " is missing");
    }
    auto stmt = std::make_unique<Stmt>();
    stmt->line = line;
    if (current().kind == TokenKind::kText) {
      stmt->kind = StmtKind::kText;
      stmt->text = take().text;
      body.push_back(std::move(stmt));
    } else if (current().kind == TokenKind::kVariableBegin) {
      take();
      stmt->kind = StmtKind::kOutput;
      stmt->value = parse_tuple(true, "", false);
      expect(TokenKind::kVariableEnd);
      body.push_back(std::move(stmt));
    } else {
      expect(TokenKind::kBlockBegin);
      if (current().kind != TokenKind::kName) fail_unexpected("a tag name");
      if (std::find(end_tags.begin(), end_tags.end(), current().text) != end_tags.end()) return body;
      body.push_back(parse_statement());
      expect(TokenKind::kBlockEnd);
    }
  }
}

Body Parser::parse_block_body(const Stmt& stmt, EndTags end_tags) {
  take_operator(":");
  expect(TokenKind::kBlockEnd);
  if (++block_nesting_ > kMaxBlockNesting) {
    fail_at(stmt.line, "blocks nest deeper than " + std::to_string(kMaxBlockNesting));
  }
  Body body = parse_body(end_tags, stmt.line, stmt.name);
  --block_nesting_;
  return body;
}

StmtPtr Parser::parse_statement() {
  auto stmt = std::make_unique<Stmt>();
  stmt->line = current().line;
  const std::string tag = take().text;
  stmt->name = tag;
  if (tag == "if") return parse_if(std::move(stmt));
  if (tag == "for") return parse_for(std::move(stmt));
  if (tag == "set") return parse_set(std::move(stmt));
  if (tag == "macro") return parse_macro(std::move(stmt));
  if (tag == "call") return parse_call_block(std::move(stmt));
  if (tag == "with") return parse_with(std::move(stmt));
  if (tag == "block") return parse_block(std::move(stmt));
  if (tag == "break") return parse_loop_control(std::move(stmt), StmtKind::kBreak);
  if (tag == "continue") return parse_loop_control(std::move(stmt), StmtKind::kContinue);
  if (tag == "filter") {
    stmt->kind = StmtKind::kFilterBlock;
    stmt->filter = parse_filter(nullptr);
    while (take_operator("|")) stmt->filter = parse_filter(std::move(stmt->filter));
    stmt->body = parse_block_body(*stmt, {"endfilter"});
    take();
    return stmt;
  }
  if (tag == "generation") {  // marks what the model wrote, for training; here it is only a scope
    stmt->kind = StmtKind::kScope;
    const int outer_loops = std::exchange(loop_nesting_, 0);
    stmt->body = parse_block_body(*stmt, {"endgeneration"});
    loop_nesting_ = outer_loops;
    take();
    return stmt;
  }
  if (tag == "autoescape") {  // escaping stays off: prompts are not HTML
    stmt->kind = StmtKind::kScope;
    parse_expression();
    stmt->body = parse_block_body(*stmt, {"endautoescape"});
    take();
    return stmt;
  }
  if (tag == "print") {
    stmt->kind = StmtKind::kInline;
    while (current().kind != TokenKind::kBlockEnd) {
      if (!stmt->body.empty()) expect_operator(",");
      auto output = std::make_unique<Stmt>();
      output->kind = StmtKind::kOutput;
      output->line = stmt->line;
      output->value = parse_expression();
      stmt->body.push_back(std::move(output));
    }
    return stmt;
  }
  for (const std::string_view outside : {"include", "import", "from", "extends"}) {
    if (tag == outside) fail_at(stmt->line, "'" + tag + "' is not allowed: a chat template may not use other templates");
  }
  fail_at(stmt->line, "unknown tag '" + tag + "'");
}

StmtPtr Parser::parse_if(StmtPtr stmt) {
  stmt->kind = StmtKind::kIf;
  while (true) {
    Branch branch;
    branch.test = parse_tuple(false, "", false);
    branch.body = parse_block_body(*stmt, {"elif", "else", "endif"});
    stmt->branches.push_back(std::move(branch));
    const std::string end = take().text;
    if (end == "elif") continue;
    if (end == "else") {
      stmt->otherwise = parse_block_body(*stmt, {"endif"});
      take();
    }
    return stmt;
  }
}

StmtPtr Parser::parse_for(StmtPtr stmt) {
  stmt->kind = StmtKind::kFor;
  stmt->target = parse_target(false, "in");
  if (!take_name("in")) fail_unexpected("'in'");
  stmt->value = parse_tuple(false, "recursive", false);
  if (take_name("if")) stmt->test = parse_expression();
  stmt->is_recursive = take_name("recursive");
  ++loop_nesting_;
  stmt->body = parse_block_body(*stmt, {"endfor", "else"});
  --loop_nesting_;
  if (take().text == "else") {
    stmt->otherwise = parse_block_body(*stmt, {"endfor"});
    take();
  }
  return stmt;
}

StmtPtr Parser::parse_set(StmtPtr stmt) {
  stmt->target = parse_target(true, "");
  if (take_operator("=")) {
    stmt->kind = StmtKind::kSet;
    stmt->value = parse_tuple(true, "", false);
    return stmt;
  }
  stmt->kind = StmtKind::kSetBlock;
  while (take_operator("|")) stmt->filter = parse_filter(std::move(stmt->filter));
  stmt->body = parse_block_body(*stmt, {"endset"});
  take();
  return stmt;
}

StmtPtr Parser::parse_macro(StmtPtr stmt) {
  stmt->kind = StmtKind::kMacro;
  const std::string name = expect_name();
  stmt->parameters = parse_parameters();
  const int outer_loops = std::exchange(loop_nesting_, 0);
  auto outer_names = std::exchange(names_read_, {});
  stmt->body = parse_block_body(*stmt, {"endmacro"});
  stmt->reads_varargs = names_read_.contains("varargs");
  stmt->reads_kwargs = names_read_.contains("kwargs");
  stmt->reads_caller = names_read_.contains("caller");
  names_read_.merge(outer_names);
  loop_nesting_ = outer_loops;
  take();
  stmt->name = name;
  return stmt;
}

StmtPtr Parser::parse_call_block(StmtPtr stmt) {
  stmt->kind = StmtKind::kCallBlock;
  if (at_operator("(")) stmt->parameters = parse_parameters();
  stmt->value = parse_expression();
  if (stmt->value->kind != ExprKind::kCall) fail_at(stmt->line, "a call block needs a call: {% call name(…) %}");
  const int outer_loops = std::exchange(loop_nesting_, 0);
  stmt->body = parse_block_body(*stmt, {"endcall"});
  loop_nesting_ = outer_loops;
  take();
  return stmt;
}

StmtPtr Parser::parse_with(StmtPtr stmt) {
  stmt->kind = StmtKind::kWith;
  while (current().kind != TokenKind::kBlockEnd && !at_operator(":")) {
    if (!stmt->assignments.empty()) expect_operator(",");
    ExprPtr target = parse_target(false, "");
    expect_operator("=");
    stmt->assignments.emplace_back(std::move(target), parse_expression());
  }
  stmt->body = parse_block_body(*stmt, {"endwith"});
  take();
  return stmt;
}

// Without inheritance a block is its body in a scope of its own.
StmtPtr Parser::parse_block(StmtPtr stmt) {
  stmt->kind = StmtKind::kScope;
  const std::string name = expect_name();
  take_name("scoped");
  take_name("required");
  const int outer_loops = std::exchange(loop_nesting_, 0);
  stmt->body = parse_block_body(*stmt, {"endblock"});
  loop_nesting_ = outer_loops;
  take();
  take_name(name);
  return stmt;
}

StmtPtr Parser::parse_loop_control(StmtPtr stmt, StmtKind kind) {
  if (loop_nesting_ == 0) fail_at(stmt->line, "'" + stmt->name + "' outside a loop");
  stmt->kind = kind;
  return stmt;
}

std::vector<Parameter> Parser::parse_parameters() {
  std::vector<Parameter> parameters;
  expect_operator("(");
  while (!at_operator(")")) {
    if (!parameters.empty()) expect_operator(",");
    Parameter parameter;
    const int line = current().line;
    parameter.name = expect_name();
    if (take_operator("=")) {
      parameter.fallback = parse_expression();
    } else if (!parameters.empty() && parameters.back().fallback != nullptr) {
      fail_at(line, "parameter '" + parameter.name + "' without a default follows one with a default");
    }
    parameters.push_back(std::move(parameter));
  }
  expect_operator(")");
  return parameters;
}

// What stands left of "=" or between "for" and "in": a name, a tuple of names or (set only) namespace.attribute.
ExprPtr Parser::parse_target(bool allow_namespace, std::string_view end_name) {
  const int line = current().line;
  std::vector<ExprPtr> targets;
  bool is_tuple = false;
  while (true) {
    if (!targets.empty()) expect_operator(",");
    if (at_tuple_end(end_name) || at_operator("=")) break;
    ExprPtr target;
    if (current().kind == TokenKind::kName && !at_name("true") && !at_name("false") && !at_name("none") && !at_name("True") &&
        !at_name("False") && !at_name("None")) {
      target = make(ExprKind::kName, current().line);
      target->name = take().text;
      if (allow_namespace && take_operator(".")) {
        target->kind = ExprKind::kNamespaceRef;
        target->attribute = expect_name();
      }
    } else if (at_operator("(")) {
      take();
      if (++expression_nesting_ > kMaxExpressionDepth) fail_at(line, "an expression nests too deeply");
      target = parse_target(allow_namespace, "");
      --expression_nesting_;
      expect_operator(")");
    } else {
      fail_unexpected("a name to assign to");
    }
    targets.push_back(std::move(target));
    if (!at_operator(",")) break;
    is_tuple = true;
  }
  if (targets.empty()) fail_unexpected("a name to assign to");
  if (!is_tuple) return std::move(targets.front());
  ExprPtr tuple = make(ExprKind::kTuple, line);
  for (ExprPtr& target : targets) adopt(*tuple, std::move(target));
  if (!is_assignable(*tuple)) fail_at(line, "this cannot be assigned to");
  return tuple;
}

bool Parser::at_tuple_end(std::string_view end_name) const {
  return current().kind == TokenKind::kVariableEnd || current().kind == TokenKind::kBlockEnd || at_operator(")") ||
         (!end_name.empty() && at_name(end_name));
}

ExprPtr Parser::make(ExprKind kind, int line) const {
  auto expr = std::make_unique<Expr>();
  expr->kind = kind;
  expr->line = line;
  return expr;
}

void Parser::adopt(Expr& parent, ExprPtr child) const {
  if (child != nullptr) {
    parent.depth = std::max(parent.depth, child->depth + 1);
    if (parent.depth > kMaxExpressionDepth) {
      fail_at(parent.line, "an expression nests deeper than " + std::to_string(kMaxExpressionDepth));
    }
  }
  parent.children.push_back(std::move(child));
}

void Parser::adopt_arguments(Expr& parent, Arguments arguments) const {
  const auto include = [&](const ExprPtr& child) {
    if (child == nullptr) return;
    parent.depth = std::max(parent.depth, child->depth + 1);
    if (parent.depth > kMaxExpressionDepth) {
      fail_at(parent.line, "an expression nests deeper than " + std::to_string(kMaxExpressionDepth));
    }
  };
  for (const ExprPtr& argument : arguments.positional) include(argument);
  for (const auto& [name, argument] : arguments.named) include(argument);
  include(arguments.rest_positional);
  include(arguments.rest_named);
  parent.arguments = std::move(arguments);
}

}  // namespace tandem::engine::jinja
