// SPDX-License-Identifier: MIT

/** By newlines alone: others that end a line for node:readline may stand in names. */
export async function* linesOf(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = ''
  for await (const text of texts) {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
}
