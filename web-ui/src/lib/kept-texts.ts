// SPDX-License-Identifier: MIT
// What somebody typed and the server does not have yet, kept in this tab so that a reload or a session that
// ran out loses nothing. It is that person's: the next one in the tab neither sees nor saves it.
const PREFIX = 'farmstead.draft.'

export const keptTextKey = (owner: string, name: string) => `${PREFIX}${owner}.${name}`

const keys = (): string[] => {
  try {
    return Object.keys(sessionStorage).filter((key) => key.startsWith(PREFIX))
  } catch {
    // A browser that keeps nothing.
    return []
  }
}

export const hasKeptTexts = (): boolean => keys().length > 0

/** null: nobody is left whose texts these could be. */
export function forgetTextsOfOthers(owner: string | null): void {
  const own = owner === null ? null : keptTextKey(owner, '')
  for (const key of keys()) {
    if (own === null || !key.startsWith(own)) sessionStorage.removeItem(key)
  }
}
