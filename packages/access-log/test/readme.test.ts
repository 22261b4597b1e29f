import { fileURLToPath } from 'node:url'
import { namesEveryExport, runReadme } from '@fw/testing'

const pathOf = (page: string): string => fileURLToPath(new URL(`../${page}`, import.meta.url))
const FORMATS = pathOf('docs/formats.md')

for (const page of [pathOf('README.md'), FORMATS]) runReadme(page, { from: pathOf('') })
namesEveryExport(pathOf('README.md'), ['index'], [FORMATS])
