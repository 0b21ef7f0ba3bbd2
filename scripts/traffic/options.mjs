// SPDX-License-Identifier: MIT
// What the command line and the environment say about the traffic.
import { Problem } from '../setup/problem.mjs'

/** @param {NodeJS.ProcessEnv} env */
export const localNodeUrls = (env) =>
  (env.FARMSTEAD_NODE_PORTS || '8101,8102,8103')
    .split(',')
    .map((port) => `http://127.0.0.1:${port.trim()}`)

/**
 * @param {string} text
 * @param {string} option
 * @param {{ least: number, most: number }} range
 */
export function parseNumber(text, option, { least, most }) {
  const value = Number(text)
  if (text !== '' && value >= least && value <= most) return value
  throw new Problem(`${option} must be a number, ${least}–${most}, got "${text}".`)
}
