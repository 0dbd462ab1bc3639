/* Shows under the search box of the header what fits while somebody types: an editable combobox with a list, as the
   ARIA practices describe it. Arrows choose, Enter opens, Escape closes. Without it the box leads to a page of results. */
'use strict';
{
    const box = document.getElementById('find');
    const WAIT = 200;

    const follow = () => {
        const list = document.getElementById('find-list');
        const told = document.getElementById('find-told');
        let timer = null;
        let asked = 0;
        let chosen = -1;

        const options = () => [...list.querySelectorAll('[role=option]')];
        const choose = number => {
            const all = options();
            chosen = all.length ? (number + all.length) % all.length : -1;
            all.forEach((option, place) => option.setAttribute('aria-selected', String(place === chosen)));
            if (chosen < 0) {
                box.removeAttribute('aria-activedescendant');
            } else {
                box.setAttribute('aria-activedescendant', all[chosen].id);
                all[chosen].scrollIntoView({block: 'nearest'});
            }
        };
        const close = () => {
            asked += 1;
            clearTimeout(timer);
            list.hidden = true;
            box.setAttribute('aria-expanded', 'false');
            box.removeAttribute('aria-activedescendant');
            chosen = -1;
        };
        const show = async () => {
            const mine = asked += 1;
            const address = `${box.dataset.options}?q=${encodeURIComponent(box.value)}`;
            const response = await fetch(address, {headers: {'X-Requested-With': 'fetch'}}).catch(() => null);
            if (mine !== asked || !response || !response.ok || response.redirected) {
                return;
            }
            const fresh = new DOMParser().parseFromString(await response.text(), 'text/html').querySelector('[role=listbox]');
            if (mine !== asked || !fresh || document.activeElement !== box) {
                return;
            }
            list.replaceChildren(document.importNode(fresh, true));
            told.textContent = fresh.dataset.count;
            chosen = -1;
            box.removeAttribute('aria-activedescendant');
            const any = options().length > 0;
            list.hidden = !any;
            box.setAttribute('aria-expanded', String(any));
        };
        const soon = () => {
            clearTimeout(timer);
            timer = setTimeout(show, WAIT);
        };
        const onKey = event => {
            if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
                event.preventDefault();
                if (list.hidden) {
                    show();
                } else {
                    choose(event.key === 'ArrowDown' ? chosen + 1 : Math.max(chosen, 0) - 1);
                }
            } else if (event.key === 'Enter' && chosen >= 0 && !list.hidden) {
                event.preventDefault();
                location.assign(options()[chosen].dataset.url);
            } else if (event.key === 'Escape' && !list.hidden) {
                event.preventDefault();
                close();
            }
        };

        box.setAttribute('role', 'combobox');
        box.setAttribute('aria-autocomplete', 'list');
        box.setAttribute('aria-controls', 'find-list');
        box.setAttribute('aria-expanded', 'false');
        box.addEventListener('input', soon);
        box.addEventListener('focus', soon);
        box.addEventListener('blur', close);
        box.addEventListener('keydown', onKey);
        // Before the box loses the focus, which closes the list.
        list.addEventListener('mousedown', event => event.preventDefault());
        list.addEventListener('click', event => {
            const option = event.target.closest('[role=option]');
            if (option) {
                location.assign(option.dataset.url);
            }
        });
    };

    if (box && box.dataset.options) {
        follow();
    }
}
