// Quoted: login done
new BroadcastChannel('login').postMessage('over')
window.close() // has no effect in a window that no script opened
// end
