#!/bin/sh
# SPDX-License-Identifier: MIT
# Prepares the control plane's data, then runs it.
#   FARMSTEAD_ENROL   names of nodes to leave enrolment tokens for, in /run/enrolment/NAME.token
#   FARMSTEAD_SITE    the sample site's folder on the nodes; its config is the first version
set -eu
cd /app/control-api
admin() { node dist/current/admin.js "$@"; }

imported=$FARMSTEAD_DATA_DIR/sample-config.jsonc
if [ -n "${FARMSTEAD_SITE:-}" ] && [ ! -e "$imported" ]; then
  node ../scripts/farm/sample-config.ts "$FARMSTEAD_SITE" 0.0.0.0 8080 >"$imported.new"
  admin import-config --name default --file "$imported.new" --message "Serve the sample site" --release
  mv "$imported.new" "$imported"
fi
for name in ${FARMSTEAD_ENROL:-}; do
  token=/run/enrolment/$name.token
  [ ! -e "/run/enrolment/$name.used" ] || continue
  (umask 077 && admin enrolment-token --json | node -pe 'JSON.parse(require("fs").readFileSync(0)).token' >"$token.new")
  mv "$token.new" "$token"
done
exec node --max-semi-space-size=16 --heap-growing-percent=30 dist/current/server.js
