/*
 * `node --import @fw/log/register-location app.ts` marks log calls with their place while modules are loaded, which
 * makes finding it nearly free. What is logged is the same with and without.
 */
import { registerHooks, stripTypeScriptTypes } from 'node:module'
import { fileURLToPath } from 'node:url'
import { markCallSites } from './call-sites/mark-call-sites.ts'

registerHooks({
  load(url, context, nextLoad) {
    const result = nextLoad(url, context)
    const { format, source } = result
    if (!url.startsWith('file:') || (format !== 'module' && format !== 'module-typescript') || !source) return result
    const text = typeof source === 'string' ? source : Buffer.from(source as Uint8Array).toString()
    if (!text.includes('@fw/log')) return result
    // The place in the original source is known at run time only.
    if (process.sourceMapsEnabled && text.includes('sourceMappingURL=')) return result
    const marked = markCallSites(format === 'module' ? text : strippedOfTypes(text), fileURLToPath(url))
    return marked === undefined ? result : { ...result, format: 'module', source: marked }
  },
})

/** As Node does it for a module, which warns of nothing. */
function strippedOfTypes(text: string): string {
  const emitWarning: unknown = Reflect.get(process, 'emitWarning')
  process.emitWarning = () => {}
  try {
    return stripTypeScriptTypes(text)
  } catch {
    // Syntax that Node will complain of.
    return ''
  } finally {
    Reflect.set(process, 'emitWarning', emitWarning)
  }
}
