// SPDX-License-Identifier: MIT
import { defineError } from '../../api-shapes/errors.ts'

export const ImportUnreadable = defineError(
  422,
  'import_unreadable',
  'The config can’t be read',
  (language: string, place: { file: string; line: number; column: number }, why: string) =>
    `${place.file}:${place.line}:${place.column}: ${why}. ${language} would not take it either: mend it there, then import it again.`,
)
export const ImportTooLarge = defineError(
  413,
  'import_too_large',
  'The files are too large',
  (most: number) =>
    `All files of an import have at most ${most} characters together. Leave out those that the config does not include.`,
)
export const ImportTooMuch = defineError(
  422,
  'import_too_much',
  'It is too much for one import',
  (why: string) => `${why}. Import fewer of its servers at once.`,
)
