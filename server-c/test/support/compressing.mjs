// SPDX-License-Identifier: MIT
// Nodes that compress on the fly, and what is asked of them.
import { join } from 'node:path'
import { startNode, until } from './node.mjs'
import { get } from './raw.mjs'

export const takes = (coding, ...lines) => ({ lines: [`Accept-Encoding: ${coding}`, ...lines] })
export const page = (title, repeats = 200) =>
  `<!doctype html><title>${title}</title>${`<p class="text">${title} is a page</p>\n`.repeat(repeats)}`

export async function startCompressing(t, { compression = {}, config = {}, ...options } = {}) {
  const node = await startNode(t, {
    ...options,
    config: ({ folder }) => ({
      compression: { cacheFolder: join(folder, 'copies'), ...compression },
      ...config,
    }),
  })
  node.copies = join(node.folder, 'copies')
  return node
}

export async function compressed(node, target, coding = 'br', ...lines) {
  return until(async () => {
    const answer = await get(node.port, target, takes(coding, ...lines))
    return answer.headers['content-encoding'] === coding && answer
  }, `${target} in ${coding}`)
}
