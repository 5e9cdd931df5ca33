// Lets the form be pressed when it has been in sight for 0.8 seconds, and nothing was pressed meanwhile.
const form = document.querySelector('form[inert]')
let timer
const wait = () => {
  form.inert = true
  clearTimeout(timer)
  timer = setTimeout(() => {
    form.inert = false
  }, 800)
}
wait()
for (const event of ['focus', 'pageshow', 'visibilitychange']) addEventListener(event, wait)
for (const event of ['pointerdown', 'keydown']) addEventListener(event, () => form.inert && wait())
