#include <algorithm>
#include <array>

#include "engine/tokenizer/loaders.h"

namespace tandem::engine {

void add_end_of_generation_by_text(const std::function<std::int32_t(std::string_view)>& find_id,
                                   std::vector<std::int32_t>& ids) {
  constexpr std::array<std::string_view, 16> kTexts = {"<|eot_id|>",
                                                       "<|im_end|>",
                                                       "<|return|>",
                                                       "<|call|>",
                                                       "<|eom_id|>",
                                                       "<|endoftext|>",
                                                       "<|end_of_text|>",
                                                       "<end_of_turn>",
                                                       "<|end_of_turn|>",
                                                       "<|eot|>",
                                                       "<|eom|>",
                                                       "<EOT>",
                                                       "<｜end▁of▁sentence｜>",
                                                       "<|EOT|>",
                                                       "<end_of_utterance>",
                                                       "[EOT]"};
  for (const std::string_view text : kTexts) {
    if (const std::int32_t id = find_id(text); id >= 0) ids.push_back(id);
  }
  // In the format that has <|return|> and <|call|>, <|end|> closes a message, after which the answer goes on.
  const std::int32_t end = find_id("<|end|>");
  const bool is_message_end = find_id("<|return|>") >= 0 && find_id("<|call|>") >= 0;
  if (end >= 0 && !is_message_end) ids.push_back(end);
}

}  // namespace tandem::engine
