/* Single keys that lead through the site, for who wants them. The sheet that names each page with its letter is fetched
   when a key asks for it. They never do anything while somebody types, or beside Ctrl, Alt or the command key. */
'use strict';
{
    const link = document.getElementById('keys-open');
    const box = document.getElementById('find');
    const PATIENCE = 1500;
    let waits = 0;  // until when a letter after "g" opens a page
    let fetched = null;

    const ask = async () => {
        const response = await fetch(link.dataset.sheet, {headers: {'X-Requested-With': 'fetch'}}).catch(() => null);
        const text = response && response.ok && !response.redirected ? await response.text() : '';
        const sheet = new DOMParser().parseFromString(text, 'text/html').querySelector('dialog');
        return sheet ? document.body.appendChild(document.importNode(sheet, true)) : null;
    };
    const sheet = () => {
        fetched ??= ask();
        return fetched;
    };
    const show = async () => {
        const found = await sheet();
        if (found && !found.open) {
            found.showModal();
        } else if (!found) {
            location.assign(link.href);
        }
    };
    const open = async letter => {
        const found = await sheet();
        const page = found && found.querySelector(`a[data-letter="${CSS.escape(letter)}"]`);
        if (page) {
            location.assign(page.href);
        }
    };
    const PRESSED = ['checkbox', 'radio', 'button', 'submit', 'reset', 'file', 'image'];  // inputs that take no text
    const types = element => element instanceof HTMLElement && !PRESSED.includes(element.type) &&
        (element.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(element.tagName));
    const search = event => {
        event.preventDefault();
        box.focus();
        box.select();
    };
    const onKey = event => {
        if (event.defaultPrevented || event.isComposing || event.repeat || types(event.target) || document.querySelector('dialog[open]')) {
            return;
        }
        if (event.ctrlKey && !event.altKey && !event.metaKey && !event.shiftKey && event.key.toLowerCase() === 'k') {
            search(event);
        }
        if (event.ctrlKey || event.altKey || event.metaKey) {
            return;
        }
        const follows = Date.now() < waits;
        waits = 0;
        if (follows && /^[a-z]$/.test(event.key)) {
            event.preventDefault();
            open(event.key);
        } else if (event.key === 'g') {
            waits = Date.now() + PATIENCE;
            sheet();
        } else if (event.key === '/') {
            search(event);
        } else if (event.key === '?') {
            event.preventDefault();
            show();
        }
    };

    if (link && box && link.dataset.sheet) {
        document.addEventListener('keydown', onKey);
        link.addEventListener('click', event => {
            event.preventDefault();
            show();
        });
    }
}
