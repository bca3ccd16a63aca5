// The commands of tandem-node, one per file.
#pragma once

#include "cluster/tandem_node/command.h"

namespace tandem::node {

void add_bench_command(CLI::App& app, CommandContext& context);
void add_chat_command(CLI::App& app, CommandContext& context);
void add_generate_command(CLI::App& app, CommandContext& context);
void add_logits_command(CLI::App& app, CommandContext& context);
void add_serve_command(CLI::App& app, CommandContext& context);
void add_tokenize_command(CLI::App& app, CommandContext& context);
void add_inspect_command(CLI::App& app, CommandContext& context);
void add_plan_command(CLI::App& app, CommandContext& context);

}  // namespace tandem::node
