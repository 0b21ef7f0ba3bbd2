// SPDX-License-Identifier: MIT
import {
  Button,
  type CSSVariablesResolver,
  createTheme,
  defaultVariantColorsResolver,
  type MantineColorsTuple,
  SegmentedControl,
  type VariantColorsResolver,
} from '@mantine/core'

/** The lamp: the one accent. */
const amber: MantineColorsTuple = [
  '#fff6e3',
  '#ffeac4',
  '#fdd48a',
  '#fabd4f',
  '#f5a524',
  '#dd8f0f',
  '#b87409',
  '#8f5a07',
  '#6b4406',
  '#4a2f05',
]
/** Neutral greys, a touch warm; Mantine's dark scheme is drawn from these. */
const dark: MantineColorsTuple = [
  '#ecebe7',
  '#d2d0ca',
  '#a8a59d',
  '#7d7a73',
  '#4a4843',
  '#383631',
  '#282724',
  '#1d1c1a',
  '#171614',
  '#121110',
]
const gray: MantineColorsTuple = [
  '#faf9f7',
  '#f3f2ef',
  '#e9e7e3',
  '#dddad5',
  '#c9c6bf',
  '#a8a59d',
  '#7d7a73',
  '#5c5953',
  '#3b3935',
  '#1f1e1b',
]

export const fontFamily =
  'Geist, ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif'
export const fontFamilyMonospace =
  'ui-monospace, SFMono-Regular, "SF Mono", Menlo, Consolas, "Liberation Mono", "DejaVu Sans Mono", monospace'

/**
 * What a button's weight says: filled is what one most likely wants next (one on a page), default is another
 * way, danger is what cannot be taken back: outlined where it is offered, `danger-filled` where it is confirmed.
 */
const variantColorResolver: VariantColorsResolver = (input) => {
  if (input.variant === 'danger') {
    return {
      background: 'var(--fs-surface)',
      hover: 'color-mix(in srgb, var(--fs-bad) 8%, var(--fs-surface))',
      color: 'var(--fs-bad)',
      border: '1px solid var(--fs-line)',
    }
  }
  if (input.variant !== 'danger-filled') return defaultVariantColorsResolver(input)
  return {
    background: 'var(--fs-bad)',
    hover: 'color-mix(in srgb, var(--fs-bad) 85%, var(--fs-text))',
    color: 'var(--fs-on-bad)',
    border: '1px solid transparent',
  }
}

export const theme = createTheme({
  colors: { amber, dark, gray },
  primaryColor: 'amber',
  primaryShade: { light: 4, dark: 4 },
  autoContrast: true,
  fontFamily,
  fontFamilyMonospace,
  variantColorResolver,
  defaultRadius: 6,
  fontSizes: { xs: '12px', sm: '14px', md: '14px', lg: '16px', xl: '20px' },
  lineHeights: { xs: '16px', sm: '20px', md: '20px', lg: '24px', xl: '28px' },
  spacing: { xs: '8px', sm: '12px', md: '16px', lg: '24px', xl: '32px' },
  headings: { fontFamily, fontWeight: '600' },
  respectReducedMotion: true,
  components: {
    Button: Button.extend({ defaultProps: { size: 'sm' } }),
    SegmentedControl: SegmentedControl.extend({ defaultProps: { size: 'xs' } }),
  },
})

/** The kit's own variables, drawn from theme.css's palette, which has both schemes in one value. */
const kitVariables = {
  '--mantine-color-body': 'var(--fs-bg)',
  '--mantine-color-text': 'var(--fs-text)',
  '--mantine-color-dimmed': 'var(--fs-dim)',
  '--mantine-color-anchor': 'var(--fs-accent)',
  '--mantine-color-error': 'var(--fs-bad)',
  '--mantine-color-placeholder': 'var(--fs-placeholder)',
  '--mantine-color-default-border': 'var(--fs-line)',
  '--mantine-color-default': 'var(--fs-surface)',
  '--mantine-color-default-hover': 'var(--fs-hover)',
  '--mantine-color-default-color': 'var(--fs-text)',
}
export const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: {},
  light: kitVariables,
  dark: kitVariables,
})
