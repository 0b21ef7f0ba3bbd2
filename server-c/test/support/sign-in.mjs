// SPDX-License-Identifier: MIT
// A node with a page that wants a password.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startNode, tempFolder } from './node.mjs'

// All of "sesame"; the costs are 4 and 8.
export const QUICK = '$2b$04$KBCwKxOzLha2MUDgW0PjXexpfJpcmyhZB2fRGE3GraFO6JmGHqpYq'
export const SLOW = '$2b$08$KBCwKxOzLha2MUDgW0PjXe3MUKuKyukhzrZlDKrv84frQOu9aja3u'

export const basic = (user, password) =>
  `Authorization: Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
export const ZOE = { lines: [basic('zoe', 'sesame')] }
export const WRONG = { lines: [basic('zoe', 'Sesame')] }

export async function start(t, users, { site = {}, config = {} } = {}) {
  const file = join(tempFolder(t), 'users')
  writeFileSync(file, users)
  const node = await startNode(t, {
    files: { 'in/page.txt': 'inner', 'out.txt': 'outer', 'index.html': 'home' },
    site: { auth: [{ paths: ['/in/**'], realm: 'inner', file }], ...site },
    config,
  })
  return { node, file }
}
