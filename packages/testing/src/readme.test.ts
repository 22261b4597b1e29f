import { expect, it } from 'vitest'
import { runReadme } from './readme.ts'
import { tempFolder } from './temp-folder.ts'

runReadme('README.md')

it('rejects a README without a block to run, because its test could not fail', async () => {
  await using folder = await tempFolder({ 'README.md': '# Title\n\n```ts no-run="never ends"\nfor (;;);\n```\n' })
  expect(() => runReadme(folder.join('README.md'))).toThrow('no ```ts block')
})

it('rejects a README with commands, because it would not run them', async () => {
  await using folder = await tempFolder({ 'README.md': '```ts\n```\n\n```sh\nls\n```\n' })
  expect(() => runReadme(folder.join('README.md'))).toThrow(/README\.md:5: runPage must run a page with commands$/)
})
