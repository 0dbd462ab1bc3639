/* Single keys that lead through the site, for who wants them: the sheet of keys stands in the page then, and names each
   page with its letter. They never do anything while somebody types, or beside Ctrl, Alt or the command key. */
'use strict';
{
    const sheet = document.getElementById('keys');
    const box = document.getElementById('find');
    const PATIENCE = 1500;
    let waits = 0;  // until when a letter after "g" opens a page

    const types = element => element instanceof HTMLElement &&
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
        const page = Date.now() < waits && sheet.querySelector(`a[data-letter="${CSS.escape(event.key)}"]`);
        waits = 0;
        if (page) {
            event.preventDefault();
            location.assign(page.href);
        } else if (event.key === 'g') {
            waits = Date.now() + PATIENCE;
        } else if (event.key === '/') {
            search(event);
        } else if (event.key === '?') {
            event.preventDefault();
            sheet.showModal();
        }
    };

    if (sheet && box) {
        document.addEventListener('keydown', onKey);
        document.getElementById('keys-open').addEventListener('click', event => {
            event.preventDefault();
            sheet.showModal();
        });
    }
}
