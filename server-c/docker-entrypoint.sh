#!/bin/sh
# SPDX-License-Identifier: MIT
# Joins the control plane with the token it left for this node, once; then runs.
#   FARMSTEAD_AGENT_URL   the control plane's agent listener
#   FARMSTEAD_NODE_NAME   the node's name, and the name of its token's file
set -eu
state=/var/lib/farmstead/state
token=/run/enrolment/$FARMSTEAD_NODE_NAME.token

if [ ! -d "$state" ]; then
  waited=0
  until [ -s "$token" ]; do
    if [ "$waited" -eq 120 ]; then
      echo "no enrolment token at $token after 120 s: is the control plane running?" >&2
      exit 1
    fi
    waited=$((waited + 1))
    sleep 1
  done
  farmstead-node join "$FARMSTEAD_AGENT_URL" --token "$(cat "$token")" --state "$state" \
    --name "$FARMSTEAD_NODE_NAME" --insecure-http
  mv "$token" "/run/enrolment/$FARMSTEAD_NODE_NAME.used"
fi
exec farmstead-node run --state "$state"
