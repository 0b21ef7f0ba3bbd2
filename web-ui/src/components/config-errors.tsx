// SPDX-License-Identifier: MIT

import { Link } from '@tanstack/react-router'
import { t } from '../languages/t.ts'
import type { ConfigError } from '../lib/api-types.ts'
import classes from './config-errors.module.css'

export type ConfigErrorsProps = { config: string | null; errors: readonly ConfigError[] }

/** Findings of a node, each leading to its place in the editor. */
export function ConfigErrors({ config, errors }: ConfigErrorsProps) {
  return (
    <ul className={classes.errors}>
      {errors.map((error) => (
        <li key={`${error.pointer} ${error.code} ${error.line}:${error.column}`}>
          <ErrorPlace config={config} error={error} /> <span lang="en">{error.message}</span>{' '}
          {error.hint !== '' && (
            <span className="dim" lang="en">
              {error.hint}
            </span>
          )}
        </li>
      ))}
    </ul>
  )
}

function ErrorPlace({ config, error }: { config: string | null; error: ConfigError }) {
  const { line, column, pointer } = error
  const place = [pointer, line > 0 ? `${line}:${column}` : '']
    .filter((part) => part !== '')
    .join(' ')
  const text = place === '' ? t('whole text') : place
  if (config === null) return <code>{text}</code>
  return (
    <Link
      to="/configs/$name"
      params={{ name: config }}
      search={{ ...(pointer !== '' && { pointer }), ...(line > 0 && { line, column }) }}
    >
      <code>{text}</code>
    </Link>
  )
}
