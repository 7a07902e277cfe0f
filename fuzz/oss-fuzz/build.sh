#!/bin/bash -eu
exec bash "$SRC/formatgauge/.clusterfuzzlite/build.sh"
