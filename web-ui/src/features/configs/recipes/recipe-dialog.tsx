// SPDX-License-Identifier: MIT
// A recipe for a site: chosen, filled in, and seen as a change of the text before it is taken.

import { Button, Radio, Select, Stack, TextInput } from '@mantine/core'
import { type SubmitEvent, useState } from 'react'
import { LazyDiffView } from '../../../components/code/lazy-code.tsx'
import { Dialog, DialogActions } from '../../../components/dialog.tsx'
import { t } from '../../../languages/t.ts'
import classes from './recipe-dialog.module.css'
import type { RecipeSite } from './recipe-sites.ts'
import {
  type Recipe,
  recipes,
  refusalsOf,
  shadowed,
  type Values,
  valuesOf,
  withRecipe,
} from './recipes.ts'

type Props = {
  text: string
  /** At least one. */
  sites: readonly RecipeSite[]
  onClose: () => void
  onTake: (text: string) => void
}

export function RecipeDialog({ text, sites, onClose, onTake }: Props) {
  const [index, setIndex] = useState(0)
  const [recipe, setRecipe] = useState<Recipe | undefined>(recipes[0])
  const [values, setValues] = useState<Values>(() => (recipe ? valuesOf(recipe) : {}))
  const site = sites[index]
  if (recipe === undefined || site === undefined) return null
  const refusals = refusalsOf(recipe, values)
  const why = shadowed(site.value, recipe, values)
  const isReady = Object.keys(refusals).length === 0 && why === null
  const next = isReady ? withRecipe(text, { index, site: site.value }, recipe, values) : text
  const handleSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (next !== text) onTake(next)
  }
  return (
    <Dialog title={t('Add a recipe')} size="lg" onClose={onClose}>
      <form className="stack" onSubmit={handleSubmit} noValidate>
        {sites.length > 1 && (
          <Select
            label={t('Site')}
            data={sites.map(({ name }, i) => ({ value: String(i), label: name }))}
            value={String(index)}
            allowDeselect={false}
            onChange={(chosen) => setIndex(Number(chosen ?? 0))}
          />
        )}
        <Radio.Group
          label={t('Recipe')}
          value={recipe.id}
          onChange={(id) => {
            const chosen = recipes.find((one) => one.id === id)
            if (chosen === undefined) return
            setRecipe(chosen)
            setValues(valuesOf(chosen))
          }}
        >
          <Stack gap={16} mt={6}>
            {recipes.map(({ id, title, sentence }) => (
              <Radio key={id} value={id} label={title} description={sentence} />
            ))}
          </Stack>
        </Radio.Group>
        {recipe.fields.map(({ name, label, description }) => (
          <TextInput
            key={`${recipe.id} ${name}`}
            label={label}
            description={description}
            spellCheck={false}
            autoCapitalize="off"
            value={values[name] ?? ''}
            error={refusals[name] ?? null}
            onChange={({ currentTarget: { value } }) => setValues({ ...values, [name]: value })}
          />
        ))}
        <Outcome text={text} next={next} why={why} isReady={isReady} />
        <DialogActions>
          <Button type="submit" disabled={next === text}>
            {t('Put it into the draft')}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

type OutcomeProps = { text: string; next: string; why: string | null; isReady: boolean }

function Outcome({ text, next, why, isReady }: OutcomeProps) {
  if (why !== null) return <p role="alert">{why}</p>
  if (!isReady) return null
  if (next === text) return <p role="status">{t('The site has all of this already.')}</p>
  return (
    <section className={classes.change} aria-label={t('The change')}>
      <LazyDiffView
        from={{ label: t('The draft now'), text }}
        to={{ label: t('With the recipe'), text: next }}
        layout="unified"
      />
    </section>
  )
}
