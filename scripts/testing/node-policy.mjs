// SPDX-License-Identifier: MIT
// A policy of the machine's owner for a node under test: without one, `join` would write to this
// machine's /etc, and `run` would serve from /srv/www alone.
import { writeFileSync } from 'node:fs'

/** @typedef {import('./node-policy.d.mts').NodePolicy} NodePolicy */

/**
 * All that tests ask for, within `folders`. Root serves as itself: tests' folders are closed to others.
 * @param {string[]} folders @param {NodePolicy} [overrides] @returns {NodePolicy}
 */
export const policyFor = (folders, overrides = {}) => ({
  serve: folders,
  secrets: folders,
  logs: folders,
  runtime: folders,
  listen: ['*:0-65535'],
  adminBeyondLoopback: true,
  users: ['root', 'nobody', 'daemon'],
  groups: ['root', 'nogroup', 'daemon'],
  symlinksAny: true,
  ...overrides,
})

/** Writes it as the owner would; returns the file. @param {string} file @param {NodePolicy} policy */
export function writePolicy(file, policy) {
  writeFileSync(file, JSON.stringify(policy, null, 2), { mode: 0o644 })
  return file
}

/**
 * The words for `join` and `run` of a node that may do anything anywhere; the policy lies in `dir`.
 * @param {string} dir @returns {[string, string]}
 */
export const openPolicy = (dir) => ['--policy', writePolicy(`${dir}/policy.json`, policyFor(['/']))]

/**
 * The same of one that gives others of its zone releases, at that address.
 * @param {string} dir @param {string} listen @returns {[string, string]}
 */
export const givingPolicy = (dir, listen) => [
  '--policy',
  writePolicy(
    `${dir}/giving-${listen.replace(/\W/g, '-')}.json`,
    policyFor(['/'], { neighbours: { listen } }),
  ),
]
