// SPDX-License-Identifier: MIT
// What somebody typed and the server does not have yet, kept in this tab so that a reload or a session that
// ran out loses nothing. It is that person's: the next one in the tab neither sees nor saves it.
const PREFIX = 'farmstead.draft.'

export const keptTextKey = (owner: string, name: string) => `${PREFIX}${owner}.${name}`

/** No config is called so. These files are on their owner's disk as well: nobody is asked before they go. */
const FILES = '/import'
export const keptFilesKey = (owner: string) => keptTextKey(owner, FILES)

const keys = (): string[] => {
  try {
    return Object.keys(sessionStorage).filter((key) => key.startsWith(PREFIX))
  } catch {
    // A browser that keeps nothing.
    return []
  }
}

export const hasKeptTexts = (): boolean => keys().some((key) => !key.endsWith(`.${FILES}`))

/** null: nobody is left whose texts these could be. */
export function forgetTextsOfOthers(owner: string | null): void {
  const own = owner === null ? null : keptTextKey(owner, '')
  for (const key of keys()) {
    if (own === null || !key.startsWith(own)) sessionStorage.removeItem(key)
  }
}
