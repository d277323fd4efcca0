#!/usr/bin/env bash
# Searches the model of one key's protocol exhaustively: it must hold for every class of provider, and with each rule
# taken out it must be seen to break. tests/model/check.sh [WORD of a run's name]; KEEP=1 leaves trails behind.
set -euo pipefail
model=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/payment.pml

# what is expected | a name | flags for spin. Runs that take longest come first.
runs() {
  cat <<'RUNS'
holds|inquiry and same key|-DINQ -DFINAL -DIDEM
holds|inquiry not final and same key|-DINQ -DIDEM
holds|inquiry and same key end|-DINQ -DFINAL -DIDEM -DENDS -DLIVE=1 -DCRASHES=1
holds|same key|-DIDEM
holds|same key ends while it may send|-DIDEM -DENDS_WHILE_IT_MAY_RESEND -DLIVE=2 -DCRASHES=1
holds|inquiry ends|-DINQ -DFINAL -DENDS -DLIVE=2 -DCRASHES=1
holds|inquiry|-DINQ -DFINAL
holds|inquiry not final|-DINQ
holds|inquiry not final, a charge is found|-DINQ -DCHARGED_ENDS -DLIVE=2 -DCRASHES=1
holds|neither|
holds|neither, another payload|-DOTHER_PAYLOAD
holds|neither leaves Processing|-DLEAVES_PROCESSING -DLIVE=2 -DCRASHES=1
holds|neither, deaf to Send-Before|-DIGNORES_SEND_BEFORE -DLATE_TRUTH
holds|inquiry, deaf to Send-Before|-DINQ -DFINAL -DIGNORES_SEND_BEFORE -DLATE_TRUTH
holds|late truth is told|-DINQ -DFINAL -DIGNORES_SEND_BEFORE -DLATE_TRUTH -DLATE_TRUTH_IS_TOLD -DLIVE=1 -DCRASHES=1
holds|neither, a late proof is heard|-DPROOF_IS_HEARD -DLIVE=3 -DCRASHES=0
fails|LATE_PROOF_WAITS|-DLATE_PROOF_WAITS -DPROOF_IS_HEARD -DLIVE=3 -DCRASHES=0
fails|NO_FENCE|-DIDEM -DNO_FENCE
fails|NO_ATTEMPT|-DNO_ATTEMPT
fails|RESEND_AFTER_NOT_FOUND_EARLY|-DINQ -DFINAL -DRESEND_AFTER_NOT_FOUND_EARLY
fails|NOT_FOUND_BELIEVED_EARLY|-DINQ -DFINAL -DNOT_FOUND_BELIEVED_EARLY
fails|NOT_FOUND_TIMED_AT_BOOKING|-DINQ -DFINAL -DNOT_FOUND_TIMED_AT_BOOKING
fails|UNKNOWN_TIMES_OUT|-DUNKNOWN_TIMES_OUT
fails|RELEASE_OPEN_ATTEMPT|-DIDEM -DRELEASE_OPEN_ATTEMPT
fails|RESENDS_TO_A_STRANGER|-DRESENDS_TO_A_STRANGER
fails|LATE_TRUTH_REVIVES|-DINQ -DFINAL -DIGNORES_SEND_BEFORE -DLATE_TRUTH -DLATE_TRUTH_REVIVES
fails|NO_HASH|-DOTHER_PAYLOAD -DNO_HASH
fails|NOT_FOUND_IGNORED_PAST_DEADLINE|-DINQ -DFINAL -DIDEM -DENDS -DNOT_FOUND_IGNORED_PAST_DEADLINE -DWINDOW_NEVER_ENDS -DLIVE=1 -DCRASHES=1
fails|NO_SETTLEMENT|-DINQ -DFINAL -DIGNORES_SEND_BEFORE -DLATE_TRUTH -DLATE_TRUTH_IS_TOLD -DNO_SETTLEMENT -DLIVE=1 -DCRASHES=1
fails|same key, deaf to Send-Before|-DIDEM -DIGNORES_SEND_BEFORE -DLATE_TRUTH
fails|inquiry believed, deaf to Send-Before|-DINQ -DFINAL -DIGNORES_SEND_BEFORE
fails|inquiry not final always ends|-DINQ -DENDS -DLIVE=1 -DCRASHES=1
fails|neither always ends|-DENDS -DLIVE=1 -DCRASHES=1
RUNS
}

# One run in a directory of its own: run_one <line> <directory>. Its last line says "as expected" or not.
run_one() {
  local expected name flags dir=$2 began=$EPOCHREALTIME
  IFS='|' read -r expected name flags <<<"$1"
  mkdir "$dir" && cd "$dir"
  # Without optimisation: the compiler takes longer than nearly every search.
  local compile=(-O0 -w -DMEMLIM=1500) search=(-m100000 -w20)
  if [[ $flags == *-DLIVE=* ]]; then
    compile+=(-DNFAIR=3)
    search+=(-a -f) # cycles of acceptance, under weak fairness
  else
    compile+=(-DSAFETY)
    if [ "$expected" = fails ]; then compile+=(-DBFS); fi # breadth first: the shortest trail, to be read
  fi
  # shellcheck disable=SC2086
  spin -a $flags "$model" >spin.txt 2>&1 && gcc "${compile[@]}" -o pan pan.c >>spin.txt 2>&1 \
    && ./pan "${search[@]}" >pan.txt 2>&1 || true
  touch pan.txt
  local verdict='no verdict' why
  # Only a search that was not cut short holds; only a broken law fails, not a model that ran into its bounds.
  if grep -q 'errors: 0$' pan.txt && ! grep -qE 'max search depth too small|out of memory|Search not completed' pan.txt; then
    verdict=holds
  elif grep -qE '^pan:1: (assertion violated|acceptance cycle)' pan.txt; then
    verdict=fails
  fi
  why=$(sed -nE 's/^pan:1: (.*) \(at depth.*/\1/p' pan.txt | head -n 1 | cut -c1-48)
  local stored depth
  stored=$(sed -nE 's/^ *([0-9.e+]+) states, stored.*/\1/p' pan.txt)
  depth=$(sed -nE 's/.*depth reached ([0-9]+).*/\1/p' pan.txt)
  printf '%-12s %-40s %9s states  depth %5s  %5.1f s  %s%s\n' "$([ "$verdict" = "$expected" ] && echo 'as expected' || echo UNEXPECTED)" \
    "$name" "${stored:--}" "${depth:--}" "$(since "$began")" "$verdict" "${why:+: $why}"
  if [ "$verdict" != "$expected" ]; then tail -n 20 spin.txt; fi
}
since() { awk -v a="$1" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }'; }

if [ "${1:-}" = --one ]; then
  run_one "$2" "$3"
  exit
fi

command -v spin >/dev/null || { echo "the model needs spin: packaging/setup --check" >&2; exit 1; }
work=$(mktemp -d)
if [ -n "${KEEP:-}" ]; then echo "trails: $work"; else trap 'rm -rf "$work"' EXIT; fi
wanted=$(runs | grep -F -- "${1:-|}") || { echo "there is no run of this name" >&2; exit 1; }
number=0
while read -r line; do
  number=$((number + 1))
  printf '%s\0%s\0' "$line" "$work/$number"
done <<<"$wanted" | LC_ALL=C xargs -0 -P2 -n2 "${BASH_SOURCE[0]}" --one | tee "$work/report.txt"

total=$(wc -l <<<"$wanted")
good=$(grep -c '^as expected' "$work/report.txt" || true)
echo "$total runs, $good as expected"
[ "$good" -eq "$total" ]
