// SPDX-License-Identifier: MIT
// Sites whose tags are made of contents.
import { createHash } from 'node:crypto'
import { renameSync, utimesSync, writeFileSync } from 'node:fs'
import { startNode, until } from './node.mjs'
import { get } from './raw.mjs'

export const sha256 = (bytes, form) => createHash('sha256').update(bytes).digest(form)
export const tagOf = (bytes, coding = '') => `"${sha256(bytes, 'hex').slice(0, 40)}${coding}"`
export const BUILD = new Date('2020-02-02T02:02:02Z')

export const start = (t, { site, ...options }) =>
  startNode(t, { ...options, site: { etag: 'content', ...site } })

/** Writes a file under the time that all files of all releases have. */
export function release(path, content, time = BUILD) {
  writeFileSync(`${path}.new`, content)
  utimesSync(`${path}.new`, time, time)
  renameSync(`${path}.new`, path)
}

/** Asks until the answer has the tag. */
export const tagged = (node, target, tag, ...lines) =>
  until(async () => {
    const answer = await get(node.port, target, { lines })
    return answer.headers.etag === tag && answer
  }, `${tag} of ${target}`)
