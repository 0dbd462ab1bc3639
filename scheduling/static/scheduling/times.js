/* Tells the server in a cookie where the browser is, which it asks for at the first sign-in; and lets people search
   among the time zones of a choice. Without it a zone is chosen from the whole list. */
'use strict';
{
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    if (zone) {
        const secure = location.protocol === 'https:' ? '; Secure' : '';
        document.cookie = `browser_zone=${zone}; path=/; max-age=31536000; SameSite=Lax${secure}`;
    }

    const searchable = select => {
        const search = document.createElement('input');
        search.type = 'search';
        search.placeholder = search.ariaLabel = select.dataset.search;
        search.className = 'zone-search';
        const options = [...select.options];
        search.addEventListener('input', () => {
            const words = search.value.trim().toLowerCase().replaceAll(' ', '_');
            for (const option of options) {
                option.hidden = !option.selected && words !== '' && !option.value.toLowerCase().includes(words);
            }
            const first = options.find(option => !option.hidden && option.value.toLowerCase().includes(words));
            if (words && first) {
                select.value = first.value;
                select.dispatchEvent(new Event('change', {bubbles: true}));
            }
        });
        select.before(search);
    };

    for (const select of document.querySelectorAll('select[data-search]')) {
        searchable(select);
    }
}
