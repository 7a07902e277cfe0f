package filekind

// Marks returns the list.
var Marks = marks
