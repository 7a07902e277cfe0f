#!/usr/bin/env bash
# build.sh PEER OUT
#
# One method, of properties, calls a method that Java has from version 21 on.
# The adapter does not call it; with an older Java the compiler of Eclipse
# (ecj) compiles the rest. The copy has no module-info.java: javac would demand
# the modules that it names.
set -eu
cd "$(dirname "$0")"
rm -rf "$2/source"
mkdir -p "$2/source"
cp -r "$1/src/main/java/net" "$2/source/"
options=(-proc:none -nowarn -d "$2" -sourcepath "$2/source:stub" Adapter.java)
version=$(javac -version 2>&1 | sed 's/^javac \([0-9]*\).*/\1/')
if [ "$version" -ge 21 ]; then
  javac "${options[@]}"
elif ! command -v ecj >/dev/null; then
  echo "javac is older than 21 and there is no ecj; --install installs it, and JAVA_HOME can name another JDK"
  exit 77
else
  ecj -17 -proceedOnError "${options[@]}" || [ -f "$2/net/shrimpworks/unreal/packages/Adapter.class" ]
fi
