// Syntax tree of a template. Built once by the parser, then only read; any number of renders may share it.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/chat/jinja/value.h"

namespace tandem::engine::jinja {

struct Expr;
struct Stmt;
using ExprPtr = std::unique_ptr<Expr>;
using StmtPtr = std::unique_ptr<Stmt>;
using Body = std::vector<StmtPtr>;

enum class ExprKind {
  kConstant,     // value
  kName,         // name
  kList,         // children
  kTuple,        // children
  kDict,         // children: key, value, key, value, …
  kAttribute,    // children[0] . name
  kSubscript,    // children[0] [ children[1] ]
  kSlice,        // children: start, stop, step, each may be null; only inside a subscript
  kCall,         // children[0] ( arguments )
  kFilter,       // children[0] | name ( arguments ); children[0] is null in filter and set blocks
  kTest,         // children[0] is name ( arguments )
  kUnary,        // name: "-", "+", "not"
  kBinary,       // name: "+", "-", "*", "/", "//", "%", "**"
  kConcat,       // children joined by ~
  kCompare,      // children[0] operators[0] children[1] operators[1] …
  kAnd,          // children[0], children[1]
  kOr,           // children[0], children[1]
  kConditional,  // children: test, value, otherwise (may be null)
  kNamespaceRef  // target only: name . attribute
};

struct Arguments {
  std::vector<ExprPtr> positional;
  std::vector<std::pair<std::string, ExprPtr>> named;
  ExprPtr rest_positional;  // *args
  ExprPtr rest_named;       // **kwargs
};

struct Expr {
  ExprKind kind = ExprKind::kConstant;
  int line = 0;
  int depth = 1;  // of the tree below, this node included
  std::string name;
  std::string attribute;
  // Constants are scalars and texts only, which renders on several threads may share.
  Value value;
  std::vector<ExprPtr> children;
  std::vector<std::string> operators;
  Arguments arguments;
};

enum class StmtKind {
  kText,         // text
  kOutput,       // value
  kIf,           // branches, otherwise
  kFor,          // target in value [if test] body, otherwise
  kSet,          // target = value
  kSetBlock,     // target = body, through filter when given
  kMacro,        // name(parameters) body
  kCallBlock,    // value is the call; parameters and body are the caller
  kFilterBlock,  // filter, body
  kWith,         // assignments, body
  kScope,        // body, with its own scope: block, generation, autoescape
  kInline,       // body, without a scope: print
  kBreak,
  kContinue
};

struct Parameter {
  std::string name;
  ExprPtr fallback;  // null: no default
};

struct Branch {
  ExprPtr test;
  Body body;
};

struct Stmt {
  StmtKind kind = StmtKind::kText;
  int line = 0;
  std::string text;
  std::string name;
  ExprPtr target;
  ExprPtr value;
  ExprPtr test;
  ExprPtr filter;
  bool is_recursive = false;
  // Of a macro: whether its body reads these names, which decides if it takes surplus arguments.
  bool reads_varargs = false;
  bool reads_kwargs = false;
  bool reads_caller = false;
  std::vector<Branch> branches;
  std::vector<Parameter> parameters;
  std::vector<std::pair<ExprPtr, ExprPtr>> assignments;
  Body body;
  Body otherwise;
};

}  // namespace tandem::engine::jinja
