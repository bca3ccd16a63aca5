// The texts of the tokenizer vectors: chosen ones first, then generated ones from a fixed seed. Only characters of
// Unicode 13 and older, on whose classes all tables in use agree.

// What model converters hash to tell tokenizers apart (ggml-org/llama.cpp, convert_hf_to_gguf_update.py).
const fingerprint =
  "\n \n\n \n\n\n \t \t\t \t\n  \n   \n    \n     \n🚀 (normal) 😶\u200d🌫️ (multiple emojis concatenated) ✅ 🦙🦙 3 33 333 3333 33333 " +
  "333333 3333333 33333333 3.3 3..3 3...3 កាន់តែពិសេសអាច😁 ?我想在apple工作1314151天～ ------======= нещо на Български " +
  "''''''```````\"\"\"\"......!!!!!!?????? I've been 'told he's there, 'RE you sure? 'M not sure I'll make it, 'D you like " +
  "some tea? We'Ve a'lL";

const chosen = [
  fingerprint,
  "Hello, world!", "  two leading spaces", "I'll don't WE'RE it\u2019s", "x=123456789;", "\u00e9 vs e\u0301", "日本語テスト",
  "👨\u200d👩\u200d👧 ok", "a\r\n\r\n  b\t\tc \n", "สวัสดี", "int main(){return 0;}", "<|im_start|>user\nhi<|im_end|>", "ſs 'ſ",
  " ", "", "\u0000\u0001", "你好，世界！今天天气怎么样？", "请用Python写一个快速排序，并解释时间复杂度O(n log n)。",
  "混合 mixed 文本 with 数字123和符号#@!", "繁體中文與簡體中文的差別", "「引號」、《書名》——破折號……", "ｆｕｌｌｗｉｄｔｈ　ＡＢＣ１２３",
  "가나다라 한국어 문장입니다.", "\u1112\u1161\u11ab\u1100\u1173\u11af jamo", "ひらがなカタカナ漢字ーー", "か\u3099き\u3099 ば",
  "Привет, как дела?", "Γειά σου Κόσμε", "שלום עולם", "مرحبا بالعالم", "नमस्ते दुनिया", "Xin chào thế giới", "Zażółć gęślą jaźń",
  "naïve café Ångström Å Å", "ﬁ ﬂ ½ ² ㎏ Ⅷ ①", "İstanbul ISTANBUL ı", "ẞ ß SS", "a\u0315\u0300\u05ae\u0300\u0062", "\u0344 \u0374 \u2126 \u212b",
  "👍🏽 🏳️\u200d🌈 🇩🇪🇨🇳 👩🏿\u200d🚀 ❤️\u200d🔥 1️⃣", "🤖🤖🤖", "♥ ❤ ❤️", "emoji😀in😀words",
  "def f(x):\n    return x**2  # square\n", "for (int i = 0; i < n; ++i) { a[i] += b[i] * 0.5f; }", "#include <vector>\n\nstd::vector<int> v{1, 2, 3};",
  "SELECT * FROM users WHERE id = 42 AND name LIKE '%x%';", "<div class=\"a\">&nbsp;</div>", "{\"key\": [1, 2.5, null, true], \"s\": \"\\n\"}",
  "https://example.org/path?q=1&r=%20#frag", "user@example.com", "C:\\Users\\name\\file.txt", "$ git commit -m \"fix\" && ls -la | grep x",
  "\\frac{a}{b} \\sum_{i=1}^{n} x_i^2", "camelCaseIdentifier snake_case_identifier SCREAMING_CASE kebab-case", "HTTPServer XMLHttpRequest iPhone eBay",
  "1234567890", "3.14159265358979", "1,234,567.89", "0x1F 0b1010 1e-10", "٠١٢٣ ०१२३ ０１２３", "2024-12-31T23:59:59Z", "50% 100€ $9.99",
  "I'm you're he's we've they'll I'd can't", "I'M YOU'RE HE'S WE'VE THEY'LL I'D CAN'T", "'s't're've'm'll'd", "''s '' 't", "o'clock rock'n'roll l'été",
  "\t", "\n", "\r", "\r\n", "\n\n", "   ", "\n   ", "   \n", " \n \n ", "\t \t", "a  b   c    d", "a\n\n\nb", "a \n b", "\u00a0nbsp\u00a0", "\u3000全角",
  "\u2003em\u2009thin\u200azero\u200bwidth", "\u2028line\u2029para", "\u0085next", "\u1680ogham", "\u180emongolian", "\ufeffbom", "\u202fnarrow", "tail   ",
  "!!!", "...", "……", "?!?!", "((()))", "[[[{{{", "-----", "=====>", "/* c */ // d", "~~~```~~~", "@#$%^&*", "a/b/c", "x/\n/y", "!/\r\n",
  "<|endoftext|>", "a<|endoftext|>b", "<|im_start|>system\nYou are.<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n",
  "<tool_call>\n{\"name\": \"f\"}\n</tool_call>", "<|im_start", "<|im_start|", "|im_start|>", "<<|im_end|>>", "<|im_end|><|im_end|>",
  "<｜begin▁of▁sentence｜><｜User｜>你好<｜Assistant｜>", "<｜end▁of▁sentence｜>", "<｜tool▁calls▁begin｜><｜tool▁sep｜>", "<|EOT|>", "<｜User", "▁▁ ▁a",
  "<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\nhi<|eot_id|>", "<|end_of_text|>", "<|reserved_special_token_0|>",
  "<s>[INST] hello [/INST]</s>", "<unk>", "</s> after", "<0x41>", "<|endofprompt|>", "<|fim_prefix|>a<|fim_suffix|>b<|fim_middle|>",
  "The quick brown fox jumps over the lazy dog.", "Die Würde des Menschen ist unantastbar.", "Donaudampfschifffahrtsgesellschaftskapitän",
  "antidisestablishmentarianism pneumonoultramicroscopicsilicovolcanoconiosis", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
  "abababababababababababababababababababababababababababababababababababab", "ha".repeat(40), "=".repeat(100), " ".repeat(100), "\n".repeat(40),
  "哈".repeat(60), "9".repeat(50), "😀".repeat(20), "e\u0301".repeat(30), "Z\u0335\u0321\u0327a\u0316\u0317\u0301l\u0334\u0300g\u0315o\u0358",
];

// Bytes that are no UTF-8, as hexadecimal: read as U+FFFD for each maximal subpart.
const invalid = [
  "ff", "80", "c0af", "e28082c3", "f09f98", "f09f9841", "eda080", "f4908080", "61ff62", "e4bda0e5a5", "e4bd20e5a5bd", "c3a9c3", "f8888080", "20f0902041",
  "e282", "e28220", "fefe", "00ff00", "e0808080", "f1808080ff", "c328", "a0a1", "e228a1", "e28228", "f0288cbc", "f09028bc", "f0288c28", "edbfbf41",
];

function random(seed) {  // mulberry32
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const words = ("the of and model token memory weights attention cache layer decode prompt Berlin París données fenêtre über straße niño ação świat " +
  "время память модель данные слово κόσμος λόγος नमस्ते भाषा שלום كتاب سلام ภาษา 안녕 세계 こんにちは 世界 モデル 語彙 模型 注意力 机器 学习 内存 带宽 中文 测试 " +
  "return const auto void static_cast std::move self.x lambda printf fn impl =>").split(" ");
const blocks = [[0x21, 0x7e], [0xa1, 0x24f], [0x300, 0x36f], [0x370, 0x3ff], [0x400, 0x52f], [0x5d0, 0x5ea], [0x600, 0x6ff], [0x900, 0x97f], [0xe01, 0xe3a],
  [0x10d0, 0x10fa], [0x1100, 0x11ff], [0x1e00, 0x1eff], [0x2010, 0x2027], [0x2070, 0x209c], [0x20a0, 0x20bf], [0x2100, 0x218b], [0x2190, 0x23ff],
  [0x2500, 0x27bf], [0x3041, 0x3096], [0x30a0, 0x30ff], [0x3105, 0x312f], [0x4e00, 0x9fa5], [0x3400, 0x4db5], [0xac00, 0xd7a3], [0xf900, 0xfa6d],
  [0xff01, 0xffbe], [0x1d400, 0x1d7ff], [0x1f300, 0x1f64f], [0x1f680, 0x1f6d5], [0x1f900, 0x1f978], [0x20000, 0x2a6d6]];
const spaces = [" ", "  ", "   ", "\t", "\n", "\r\n", "\n\n", " \n", "\n ", "\u00a0", "\u3000", "\u2009"];
const marks = ["<|im_start|>", "<|im_end|>", "<think>", "</think>", "<tool_call>", "<｜User｜>", "<｜Assistant｜>", "<｜end▁of▁sentence｜>", "<|eot_id|>",
  "<|start_header_id|>", "<s>", "</s>", "<|endoftext|>", "<|", "|>", "<"];
const tails = ["'s", "'T", "'re", "'VE", "'m", "'LL", "'d", "’s", "'ſ", "'x"];

function generate() {
  const next = random(20261201);
  const below = (n) => Math.floor(next() * n);
  const pick = (list) => list[below(list.length)];
  const times = (low, high, make) => Array.from({ length: low + below(high - low + 1) }, make).join("");
  const character = () => {
    for (;;) {
      const [low, high] = pick(blocks);
      const text = String.fromCodePoint(low + below(high - low + 1));
      if (!/[\p{Cn}\p{Co}\p{Cs}]/u.test(text)) return text;
    }
  };
  const cased = (w) => pick([w, w, w.toUpperCase(), w[0].toUpperCase() + w.slice(1), w.split("").map((c) => (next() < 0.5 ? c.toUpperCase() : c)).join("")]);
  const kinds = [
    () => times(2, 8, () => cased(pick(words)) + pick([" ", " ", " ", pick(spaces), "", ", ", ". "])),
    () => times(1, 14, character),
    () => times(1, 6, () => pick([character(), pick(words), pick(spaces), String(below(100000))])),
    () => times(1, 10, () => pick([...spaces, "a", "1", "!", "中"])),
    () => times(1, 5, () => cased(pick(words)) + pick(tails) + pick(["", " "])),
    () => times(1, 6, () => pick(["", "-", "+", "$", "x"]) + String(below(10 ** (1 + below(9)))) + pick([".", ",", " ", "", ":"])),
    () => times(1, 8, () => pick(words)[0] + pick(["\u0301", "\u0308", "\u0327", "\u093f", "\u0e31", "\u05b8", "\u20dd", ""])),
    () => times(1, 4, () => pick(["👩", "🧑🏽", "👨", "🏴", "👁️"]) + pick(["\u200d💻", "\u200d🗨️", "\ufe0f", "", "🏿"])) + pick(words),
    () => times(1, 5, () => pick(marks) + pick(["", "user\n", " ", pick(words)])),
    () => times(2, 6, () => pick(["if", "(", ")", "{", "}", ";\n", "    ", "\t", "->", "::", "!=", "/*", "*/", "foo_bar", "Foo", "0x", "[i]", "//", "\"s\"", "'c'"])),
    () => times(1, 12, () => String.fromCodePoint(0x4e00 + below(3000))) + pick(["。", "，", "！", "", "ok"]),
  ];
  const out = [];
  while (out.length < 2000) out.push(kinds[out.length % kinds.length]());
  return out;
}

function generateInvalid() {
  const next = random(7);
  const below = (n) => Math.floor(next() * n);
  const out = [];
  while (out.length < 100) {
    const bytes = Array.from({ length: 1 + below(12) }, () => (next() < 0.4 ? 0x20 + below(0x5f) : 0x80 + below(0x80)));
    out.push(Buffer.from(bytes).toString("hex"));
  }
  return out;
}

// A text is a string, or {hex} for bytes.
export const strings = [...chosen, ...generate(), ...[...invalid, ...generateInvalid()].map((hex) => ({ hex }))];
export const textOf = (s) => (typeof s === "string" ? s : new TextDecoder("utf-8", { ignoreBOM: true }).decode(Buffer.from(s.hex, "hex")));
