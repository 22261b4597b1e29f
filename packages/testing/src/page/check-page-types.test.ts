import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { tempFolder } from '../temp-folder.ts'
import { checkPageTypes } from './check-page-types.ts'

const FOLDER = fileURLToPath(new URL('../../', import.meta.url))
const OPTIONS = { from: [FOLDER], tsc: `${FOLDER}node_modules/.bin/tsc` }

it('reports an error at its line on the page, and finds the files of the page', async () => {
  await using folder = await tempFolder({
    'page.md': [
      '```ts title="one.ts"',
      'export const one: number = 1',
      '```',
      '```ts',
      "import { one } from './one.ts'",
      'const text: string = one',
      '```',
      '```ts title="one.ts"',
      "export const one: string = 'a second version'",
      '```',
      '```ts',
      "import { one } from './one.ts'",
      'const text: string = one',
      '```',
    ].join('\n'),
  })
  const path = folder.join('page.md')
  const errors = await checkPageTypes([{ path }], OPTIONS)
  expect(errors).toEqual([`${path}:6: error TS2322: Type 'number' is not assignable to type 'string'.`])
})
