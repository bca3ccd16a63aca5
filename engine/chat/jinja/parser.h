// Parser: tokens to syntax tree, with the grammar of Jinja 3.1 less everything that reaches outside the template.
#pragma once

#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/chat/jinja/ast.h"
#include "engine/chat/jinja/lexer.h"

namespace tandem::engine::jinja {

class Parser {
 public:
  explicit Parser(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}
  // The whole template. Throws TemplateError with the line.
  Body parse();
  // Every name the template reads as a variable, shadowed ones included.
  const std::set<std::string, std::less<>>& names_read() const { return names_read_; }

 private:
  using EndTags = std::initializer_list<std::string_view>;

  // parser.cpp: statements
  Body parse_body(EndTags end_tags, int open_line, std::string_view open_tag);
  StmtPtr parse_statement();
  StmtPtr parse_if(StmtPtr stmt);
  StmtPtr parse_for(StmtPtr stmt);
  StmtPtr parse_set(StmtPtr stmt);
  StmtPtr parse_macro(StmtPtr stmt);
  StmtPtr parse_call_block(StmtPtr stmt);
  StmtPtr parse_with(StmtPtr stmt);
  StmtPtr parse_block(StmtPtr stmt);
  StmtPtr parse_loop_control(StmtPtr stmt, StmtKind kind);
  Body parse_block_body(const Stmt& stmt, EndTags end_tags);
  std::vector<Parameter> parse_parameters();
  ExprPtr parse_target(bool allow_namespace, std::string_view end_name);

  // parser_expressions.cpp, weakest operator first
  ExprPtr parse_tuple(bool with_conditional, std::string_view end_name, bool in_parentheses);
  ExprPtr parse_expression();
  ExprPtr parse_or();
  ExprPtr parse_and();
  ExprPtr parse_not();
  ExprPtr parse_compare();
  ExprPtr parse_sum();
  ExprPtr parse_concat();
  ExprPtr parse_product();
  ExprPtr parse_power();
  ExprPtr parse_unary(bool with_filters);
  ExprPtr parse_primary();
  ExprPtr parse_list();
  ExprPtr parse_dict();
  ExprPtr parse_postfix(ExprPtr expr);
  ExprPtr parse_filters_and_tests(ExprPtr expr);
  ExprPtr parse_subscript(ExprPtr expr);
  ExprPtr parse_subscript_item();
  ExprPtr parse_call(ExprPtr callee);
  ExprPtr parse_filter(ExprPtr input);
  ExprPtr parse_test(ExprPtr input);
  Arguments parse_arguments();
  std::string parse_dotted_name();

  const Token& current() const { return tokens_[token_idx_]; }
  const Token& look_ahead() const { return tokens_[std::min(token_idx_ + 1, tokens_.size() - 1)]; }
  Token take();
  bool at_operator(std::string_view text) const;
  bool at_name(std::string_view text) const;
  bool take_operator(std::string_view text);
  bool take_name(std::string_view text);
  void expect_operator(std::string_view text);
  void expect(TokenKind kind);
  std::string expect_name();
  bool at_tuple_end(std::string_view end_name) const;
  [[noreturn]] void fail_at(int line, const std::string& message) const;
  [[noreturn]] void fail_unexpected(std::string_view wanted) const;

  ExprPtr make(ExprKind kind, int line) const;
  // Appends a child and keeps `depth` up to date; refuses trees that would overflow the evaluator's stack.
  void adopt(Expr& parent, ExprPtr child) const;
  void adopt_arguments(Expr& parent, Arguments arguments) const;

  std::vector<Token> tokens_;
  std::size_t token_idx_ = 0;
  int block_nesting_ = 0;
  int expression_nesting_ = 0;
  int loop_nesting_ = 0;
  std::set<std::string, std::less<>> names_read_;

  friend class NestingGuard;
};

}  // namespace tandem::engine::jinja
