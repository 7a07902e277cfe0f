# Installs formatgauge $FORMATGAUGE_VERSION in $FORMATGAUGE_DIR: downloads the archive
# from $FORMATGAUGE_URL, unless it is there, and compares its checksum.
set -eu
case $(uname -s) in
  Linux) os=linux ending=tar.gz ;;
  Darwin) os=darwin ending=tar.gz ;;
  *) os=windows ending=zip ;;
esac
case $(uname -m) in
  x86_64 | amd64) arch=amd64 ;;
  aarch64 | arm64) arch=arm64 ;;
  *) echo "formatgauge: no release for $(uname -m)" >&2; exit 2 ;;
esac
version=${FORMATGAUGE_VERSION#v}
name=formatgauge_${version}_${os}_$arch
dir=$FORMATGAUGE_DIR/$version
mkdir -p "$dir"
for file in "$name.$ending" checksums.txt; do
  if [ ! -s "$dir/$file" ]; then
    from=$FORMATGAUGE_URL/v$version/$file
    echo "formatgauge: downloading $from"
    code=0
    if command -v curl > /dev/null; then
      status=$(curl -fsSL --retry 3 -w '%{http_code}' -o "$dir/$file" "$from") || code=$?
    else
      wget -q -O "$dir/$file" "$from" || code=$?
      case $code in 8) status=404 ;; *) status= ;; esac # 8: the server answered with an error
    fi
    if [ $code != 0 ]; then
      rm -f "$dir/$file"
      problem="cannot download $file (exit code $code)"
      [ "$status" != 404 ] || problem="there is no version $version, or it has no file $file"
      [ -z "${GITHUB_ACTIONS:-}" ] || echo "::error title=formatgauge::$problem"
      echo "formatgauge: $problem: $from" >&2
      echo "  A version is a number such as 0.1.0. All versions and their files:" >&2
      echo "  ${FORMATGAUGE_URL%/download}" >&2
      echo "  or: git ls-remote --tags https://github.com/formatgauge/formatgauge" >&2
      exit 2
    fi
  fi
done
if command -v sha256sum > /dev/null; then sum=$(sha256sum < "$dir/$name.$ending"); else sum=$(shasum -a 256 < "$dir/$name.$ending"); fi
if ! grep -qx "${sum%% *}  $name.$ending" "$dir/checksums.txt"; then
  rm -f "$dir/$name.$ending" "$dir/checksums.txt"
  echo "formatgauge: the checksum of $name.$ending is not that of the release" >&2
  exit 2
fi
if [ $ending = zip ]; then unzip -qo "$dir/$name.zip" -d "$dir"; else tar -xzf "$dir/$name.tar.gz" -C "$dir"; fi
PATH=$dir/$name:$PATH
