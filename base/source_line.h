/** @file source_line.h  Where in the sources a line stands, for errors. */
#ifndef PSG_BASE_SOURCE_LINE_H
#define PSG_BASE_SOURCE_LINE_H

#define PSG_TEXT_OF(value) #value
#define PSG_TEXT(value) PSG_TEXT_OF(value)

/** The file, from the root of the sources, and the line: "graph/plan.c:123". */
#define PSG_SOURCE_LINE __FILE__ ":" PSG_TEXT(__LINE__)

#endif
