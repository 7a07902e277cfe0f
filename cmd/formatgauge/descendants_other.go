//go:build !linux && !windows

package main

// On these systems the processes of an adapter are ended by their process group.
// One that leaves the group can outlive this process.

func adoptDescendants() {}

func endDescendants() {}
