/* The log, on the standard error output. */
#pragma once

#include <cstdio>

#define ESP_LOGCONFIG(tag, ...) (std::fputs(tag, stderr), std::fprintf(stderr, ": " __VA_ARGS__), std::fputc('\n', stderr))
#define ESP_LOGW(tag, ...) ESP_LOGCONFIG(tag, __VA_ARGS__)
