// SPDX-License-Identifier: MIT
import { Button, type ButtonProps } from '@mantine/core'
import { createLink } from '@tanstack/react-router'

type AnchorButtonProps = ButtonProps & Omit<React.ComponentPropsWithRef<'a'>, keyof ButtonProps>

/** A link that looks like a button: it goes somewhere, so it is an anchor. */
export const ButtonLink = createLink((props: AnchorButtonProps) => (
  <Button component="a" {...props} />
))
