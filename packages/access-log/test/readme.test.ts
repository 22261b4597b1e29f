import { fileURLToPath } from 'node:url'
import { namesEveryExport, runPage, runReadme } from '@fw/testing'

const pathOf = (page: string): string => fileURLToPath(new URL(`../${page}`, import.meta.url))
const FORMATS = pathOf('docs/formats.md')

runPage(pathOf('README.md'), { from: pathOf('') })
runReadme(FORMATS, { from: pathOf('') })
namesEveryExport(pathOf('README.md'), ['index'], [FORMATS])
