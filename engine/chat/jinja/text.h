// Code-point text functions over UTF-8, with the meaning of Python's str methods.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::engine::jinja {

// Invalid sequences, lone surrogates included, become U+FFFD. Everything else below expects valid UTF-8.
std::string valid_utf8(std::string_view bytes);

std::size_t count_code_points(std::string_view utf8);
// Decodes the code point at `offset` and moves it behind it.
char32_t next_code_point(std::string_view utf8, std::size_t& offset);
void append_utf8(std::string& out, char32_t code_point);
std::u32string decode(std::string_view utf8);
std::string encode(std::u32string_view code_points);

bool is_space(char32_t c);  // str.isspace of one character
bool is_alpha(char32_t c);
bool is_decimal(char32_t c);
bool is_digit(char32_t c);
bool is_numeric(char32_t c);
bool is_upper(char32_t c);
bool is_lower(char32_t c);
bool is_titlecase(char32_t c);
bool is_printable(char32_t c);  // repr() shows it as it is
bool is_identifier_start(char32_t c);
bool is_identifier_part(char32_t c);

std::string to_upper(std::string_view utf8);
std::string to_lower(std::string_view utf8);
std::string to_casefold(std::string_view utf8);
std::string to_title(std::string_view utf8);        // str.title
std::string to_capitalized(std::string_view utf8);  // str.capitalize
std::string to_swapped_case(std::string_view utf8);

enum class StripSide { kBoth, kLeft, kRight };
// Without `chars`, white space; else every code point of `chars`.
std::string_view strip(std::string_view utf8, StripSide side);
std::string_view strip(std::string_view utf8, StripSide side, std::string_view chars);

// repr(str): single quotes unless only single quotes are inside.
std::string quoted(std::string_view utf8);
std::string html_escaped(std::string_view utf8);
// Position of `needle` at or behind `from`, or npos. Linear in the length of both, whatever they are made of; std::string's
// own search is quadratic for texts made to be.
std::size_t find_text(std::string_view haystack, std::string_view needle, std::size_t from = 0);
std::size_t rfind_text(std::string_view haystack, std::string_view needle);
// Every occurrence, or the first `max_count` when that is not negative.
std::string replace_all(std::string_view utf8, std::string_view from, std::string_view to, std::int64_t max_count);
// str.splitlines.
std::vector<std::string> split_lines(std::string_view utf8, bool keep_ends);

}  // namespace tandem::engine::jinja
