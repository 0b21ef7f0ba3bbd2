// SPDX-License-Identifier: MIT
// What an import may be of. Pure: farmctl keeps to it before it sends anything.
export const LANGUAGES = ['nginx', 'lighttpd', 'apache', 'caddy'] as const
export type Language = (typeof LANGUAGES)[number]

export const MOST_FILES = 500
/** Of those, the files to begin with. */
export const MOST_MAIN_FILES = 64
/** Of all files together. */
export const MOST_CHARACTERS = 1_048_576
