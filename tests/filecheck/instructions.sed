# C with assembly: each instruction gets a line of its own.
/^ *(__asm__ volatile\()?"/ {
    s/^ *(__asm__ volatile\()?"//
    s/(\\n\\t)?"( *:.*)?(\);)?$//
    s/\\n\\t/\n/g
    s/:\\t/:\n/g
    s/\n$//
}
