package play

// MaxSpans is the limit, which tests set.
var MaxSpans = &maxSpans
