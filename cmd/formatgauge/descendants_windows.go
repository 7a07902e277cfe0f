package main

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// adoptDescendants puts this process into a job object. The processes that it
// starts become part of the job, and end when its only handle is closed: when this
// process ends.
func adoptDescendants() {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return
	}
	var info windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err == nil {
		err = windows.AssignProcessToJobObject(job, windows.CurrentProcess())
	}
	if err != nil {
		_ = windows.CloseHandle(job) // processes that adapters start are not ended
	}
}

// endDescendants does nothing: see adoptDescendants.
func endDescendants() {}
