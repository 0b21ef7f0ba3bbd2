// SPDX-License-Identifier: MIT
// The views of a list that the reader has saved: one is opened by a click, and the list as it stands is saved under a name.

import { Button, Popover, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type SubmitEvent, useState } from 'react'
import { t } from '../languages/t.ts'
import {
  deleteViewMutation,
  isSameSearch,
  savedViewsQuery,
  saveViewMutation,
  type ViewList,
  viewSearchOf,
} from '../lib/saved-views.ts'
import { ErrorBox } from './error-box.tsx'
import classes from './saved-views.module.css'

const LONGEST_NAME = 60

export type SavedViewsProps<Search extends object> = {
  list: ViewList
  search: Search
  /** A view may be of an older console: what it no longer knows is left out. */
  read: (saved: Record<string, unknown>) => Search
  onSearch: (search: Search) => void
}

export function SavedViews<Search extends object>(props: SavedViewsProps<Search>) {
  const { list, search, read, onSearch } = props
  const [opened, setOpened] = useState(false)
  const all = useQuery(savedViewsQuery)
  const views = (all.data ?? []).filter((view) => view.list === list)
  const now = viewSearchOf(search)
  const current = views.find((view) => isSameSearch(viewSearchOf(read(view.search)), now))
  const onSuccess = useRefresh()
  const deletion = useMutation({ ...deleteViewMutation, onSuccess })
  return (
    <Popover
      opened={opened}
      onChange={setOpened}
      position="bottom-start"
      width={300}
      trapFocus
      returnFocus
      withRoles
    >
      <Popover.Target>
        <Button
          variant="default"
          size="xs"
          aria-label={current ? t('Views: {name}', { name: current.name }) : t('Views')}
          onClick={() => setOpened(!opened)}
        >
          {current?.name ?? t('Views')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown className={classes.views ?? ''}>
        {all.isError && <ErrorBox what={t('Your views')} error={all.error} />}
        {all.isSuccess && views.length === 0 && (
          <p className="dim">
            {t('No view is saved yet. Filter and sort the list, then name it here.')}
          </p>
        )}
        {views.length > 0 && (
          <ul aria-label={t('Your views')} className={classes.list}>
            {views.map((view) => (
              <li key={view.name}>
                <Button
                  size="compact-sm"
                  variant="subtle"
                  aria-current={view === current ? 'true' : undefined}
                  onClick={() => {
                    setOpened(false)
                    onSearch(read(view.search))
                  }}
                >
                  {view.name}
                </Button>
                <Button
                  size="compact-xs"
                  variant="subtle"
                  aria-label={t('Delete the view {name}', { name: view.name })}
                  onClick={() => deletion.mutate({ list, name: view.name })}
                >
                  {t('Delete')}
                </Button>
              </li>
            ))}
          </ul>
        )}
        {deletion.isError && (
          <ErrorBox what={t('The view was not deleted')} error={deletion.error} />
        )}
        <SaveForm list={list} search={now} names={views.map(({ name }) => name)} />
      </Popover.Dropdown>
    </Popover>
  )
}

type SaveFormProps = { list: ViewList; search: ReturnType<typeof viewSearchOf>; names: string[] }

function SaveForm({ list, search, names }: SaveFormProps) {
  const [typed, setTyped] = useState('')
  const refresh = useRefresh()
  const save = useMutation({
    ...saveViewMutation,
    onSuccess: () => {
      setTyped('')
      return refresh()
    },
  })
  const name = typed.trim()
  const wrong = wrongWith(name)
  const handleSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (name === '' || wrong !== null) return
    save.mutate({ list, name, search })
  }
  return (
    <form className={classes.save} onSubmit={handleSubmit}>
      <TextInput
        size="xs"
        label={t('Save the list as it stands')}
        placeholder={t('A name')}
        maxLength={LONGEST_NAME}
        value={typed}
        onChange={({ currentTarget: { value } }) => setTyped(value)}
        error={wrong}
      />
      <Button type="submit" size="xs" variant="default" loading={save.isPending}>
        {names.includes(name) ? t('Replace') : t('Save')}
      </Button>
      {save.isError && <ErrorBox what={t('The view was not saved')} error={save.error} />}
    </form>
  )
}

/** It is a part of an address, where a dot or two alone mean another one. */
function wrongWith(name: string): string | null {
  if (/[/\\]/.test(name)) return t('A name has no slash.')
  return /^\.{1,2}$/.test(name) ? t('A name is more than dots.') : null
}

function useRefresh() {
  const client = useQueryClient()
  return () => client.invalidateQueries({ queryKey: savedViewsQuery.queryKey })
}
