// SPDX-License-Identifier: MIT
import { defineError } from '../../api-shapes/errors.ts'

export const TimeZoneUnknown = defineError(
  422,
  'time_zone_unknown',
  'No such time zone',
  (name: string) =>
    `"${name}" is not a name of the IANA time zone database, such as Europe/Berlin or UTC.`,
)
