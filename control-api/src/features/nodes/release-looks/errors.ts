// SPDX-License-Identifier: MIT
import { defineError } from '../../../api-shapes/errors.ts'

export const NobodyServesIt = defineError(
  409,
  'version_not_served',
  'No node serves the version',
  (name: string, number: number) =>
    `No node that you see runs version ${number} of "${name}", so nobody can be asked for its files. GET /api/v1/releases/${name}/nodes lists who runs which.`,
)
export const NothingToAskFor = defineError(
  409,
  'nothing_to_ask_for',
  'There is no file to ask for',
  (name: string, number: number) =>
    `Of version ${number} of "${name}" no file can be asked for: it has only links, hidden files or such of more than 1 MiB, or its list of files is not here. farmctl releases verify ${name} ${number} --nodes asks for large ones, too.`,
)
