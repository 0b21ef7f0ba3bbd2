// SPDX-License-Identifier: MIT
import { Button } from '@mantine/core'
import { createLink } from '@tanstack/react-router'

/** A link that looks like a button: it goes somewhere, so it is an anchor. */
export const ButtonLink = createLink(Button<'a'>)
