! The Fortran face: options by name, sections, both precisions, pointers, terms of a solve, statistics, and words of errors.
program solve
    use, intrinsic :: iso_c_binding
    use, intrinsic :: iso_fortran_env, only: error_unit, int8, real32, real64
    use psg
    implicit none
    integer, parameter :: nx = 7, ny = 6, nz = 5
    real(real64), parameter :: pi = acos(-1.0_real64), length(3) = [1.0_real64, 2.0_real64, 3.0_real64]
    real(real64), target :: f(nx, ny, nz), u(nx, ny, nz)
    real(real64) :: room(nx + 3, ny + 2, nz + 4), wave(nx, ny, nz), wide(2 * nx, ny, nz)
    real(real32) :: f32(nx, ny, nz), u32(nx, ny, nz)
    type(psg_grid) :: grid
    type(psg_options) :: options
    type(psg_plan) :: plan, single
    type(psg_statistics) :: found
    character(:), allocatable :: text
    real(real64) :: first, step, k2
    integer :: status, lo(3), n(3), d, i

    ! A wave along each axis in turn: the array's first index is x.
    call psg_grid_init(grid, [nx, ny, nz], length)
    call psg_options_init(options)
    call psg_options_set(options, 'segment-planes', '2')
    call psg_options_set(options, 'factor', '-2')
    call psg_options_get(options, 'segment_planes', text)
    call check(text == '2' .and. options%segment_planes == 2 .and. options%factor == -2, 'options by name')
    call psg_options_set(options, 'cache_dir', '')
    call psg_options_get(options, 'cache_dir', text)
    call check(text == '', 'an empty text')
    call plan%create(grid, options)
    call plan%local_box(lo, n)
    call check(all(lo == 0) .and. all(n == [nx, ny, nz]), 'the whole grid')
    do d = 1, 3
        do i = 1, size(f, d)
            select case (d)
            case (1)
                wave(i, :, :) = sin(2 * pi * (i - 1) / nx)
            case (2)
                wave(:, i, :) = sin(2 * pi * (i - 1) / ny)
            case (3)
                wave(:, :, i) = sin(2 * pi * (i - 1) / nz)
            end select
        end do
        k2 = (2 * pi / length(d)) ** 2
        f = wave
        call plan%solve(f, u)
        call check(near(u, 2 * wave / k2), 'a wave')
        call plan%solve(f, u, lambda=3.0_real64, factor=1.0_real64)
        call check(near(u, -wave / (k2 + 3)), 'terms of a solve')
        call plan%solve(c_loc(f), c_loc(u))
        call check(near(u, 2 * wave / k2), 'pointers')
        u = 0
        call plan%submit(c_loc(f), c_loc(u), factor=4.0_real64)
        call plan%wait()
        call check(near(u, -4 * wave / k2), 'a solve in flight')
        room = 77
        room(3:nx + 2, 2:ny + 1, 4:nz + 3) = wave
        call plan%solve(room(3:nx + 2, 2:ny + 1, 4:nz + 3), room(3:nx + 2, 2:ny + 1, 4:nz + 3))
        call check(near(room(3:nx + 2, 2:ny + 1, 4:nz + 3), 2 * wave / k2), 'a section in place')
        call check(count(room == 77) == size(room) - size(f), 'beside the section')
    end do
    call plan%statistics(found)
    call check(found%solves == 15 .and. found%segments == 3 .and. found%ranks == 1 .and. found%seconds > 0 .and. &
        found%submit%tasks > 0, 'statistics')

    ! In single precision, between walls: a plan without options but one.
    call psg_options_init(options)
    options%precision = PSG_F32
    grid%axis(1)%bc = PSG_BC_DIRICHLET
    grid%axis(1)%points = PSG_POINTS_NODES
    call psg_axis_points(grid%axis(1), first, step)
    call check(abs(step - 1.0_real64 / (nx + 1)) <= 1e-15_real64 .and. abs(first - step) <= 1e-15_real64, 'points')
    call psg_good_length(96, grid%axis(1)%bc, grid%axis(1)%points, n(1))
    call psg_good_length(7, [PSG_BC_PERIODIC, PSG_BC_PERIODIC], PSG_POINTS_CELLS, n(2))
    call psg_good_length(0, grid%axis(1)%bc, grid%axis(1)%points, n(3), status)
    call check(all(n == [97, 8, 0]) .and. status == PSG_ERR_ARG, 'good lengths')
    call single%create(grid, options)
    do i = 1, nx
        wave(i, :, :) = sin(pi * (first + (i - 1) * step))
    end do
    f32 = real(wave, real32)
    call single%solve(f32, u32)
    call check(all(abs(u32 + wave / pi ** 2) <= 1e-6), 'between walls')

    call kernels()
    call terms_of_a_solve()
    call several()
    call two_axes()
    call stretched()
    call modes()

    ! Errors have words, and nothing was done.
    call single%solve(f, u, status=status)
    call refused(PSG_ERR_ARG, 'f and u are real(real64), and the plan is in real(real32)', 'another kind')
    call plan%solve(f32, u32, status=status)
    call refused(PSG_ERR_ARG, 'f and u are real(real32)', 'another kind')
    call plan%solve(f(:, :, 2:), u, status=status)
    call refused(PSG_ERR_ARG, 'f has 7x6x4 points, u 7x6x5, and the plan 7x6x5', 'other extents')
    wide = 0
    call plan%solve(wide(1::2, :, :), u, status=status)
    call check(status == PSG_ERR_ARG, 'rows that are not contiguous')
    call plan%solve(f(:, :, nz:1:-1), u, status=status)
    call refused(PSG_ERR_ARG, 'stride[2] of f is -42', 'planes from the last to the first')
    call plan%solve(f, u, lambda=-1.0_real64, status=status)
    call refused(PSG_ERR_UNSUPPORTED, 'lambda = -1', 'lambda')
    call plan%wait(status)
    call refused(PSG_ERR_STATE, 'no solve is in flight', 'no solve')
    call psg_options_set(options, 'frobs', '1', status)
    call refused(PSG_ERR_ARG, "there is no option 'frobs'", 'no option')
    call plan%destroy()
    call plan%solve(f, u, status=status)
    call check(status == PSG_ERR_ARG, 'a plan that is destroyed')
    grid%axis(2)%length = -1
    call plan%create(grid, status=status)
    call refused(PSG_ERR_ARG, 'the box is -1 long along y', 'a box')
    call single%destroy()
    print '(a)', 'ok'

contains

    !> Arrays (nx, ny, 1) and (nx, ny): a section, a value on a side along y, a component of the
    !> gradient, and one axis.
    subroutine two_axes()
        real(real64), target :: g(nx, ny), v(nx, ny), gy(nx, ny), line(nx), along(nx)
        real(real64) :: padded(nx + 2, ny + 1, 1)
        type(psg_plan) :: flat
        type(psg_terms) :: terms
        call psg_options_init(options)
        call psg_grid_init(grid, [nx, ny], length(:2))
        call flat%create(grid)
        call flat%local_box(lo, n)
        call check(all(lo == 0) .and. all(n == [nx, ny, 1]), 'a grid of two axes')
        do i = 1, ny
            g(:, i) = sin(2 * pi * (i - 1) / ny)
        end do
        k2 = (2 * pi / length(2)) ** 2
        call flat%solve(c_loc(g), c_loc(v))
        call check(all(abs(v + g / k2) <= 1e-14), 'two axes')
        padded = 77
        padded(2:nx + 1, :ny, 1) = g
        call flat%solve(padded(2:nx + 1, :ny, :), padded(2:nx + 1, :ny, :))
        call check(all(abs(padded(2:nx + 1, :ny, 1) - v) <= 0), 'a section of two axes')
        call check(all(padded(:, ny + 1, :) == 77), 'beside a section of two axes')
        call flat%solve(f, u, status=status)
        call refused(PSG_ERR_ARG, 'f has 7x6x5 points, u 7x6x5, and the plan 7x6x1', &
            'three axes for two')
        call flat%destroy()
        grid%axis(2)%bc = PSG_BC_DIRICHLET
        call psg_options_set(options, 'symbol', 'fd2')
        call flat%create(grid, options)
        g = 0
        terms%value(2, 2) = 3 ! u rises from 0 to 3 along y
        terms%gradient(2) = c_loc(gy)
        call flat%solve(c_loc(g), c_loc(v), terms=terms)
        do i = 1, ny
            call check(all(abs(v(:, i) - 3 * (i - 0.5_real64) / ny) <= 1e-14), 'a value along y')
        end do
        call check(all(abs(gy - 3 / length(2)) <= 1e-14), 'the gradient along y')
        call flat%destroy()
        call psg_grid_init(grid, [nx], length(:1))
        call flat%create(grid)
        line = sin(2 * pi * [(i, i=0, nx - 1)] / nx)
        call flat%solve(c_loc(line), c_loc(along))
        call check(all(abs(along + line / (2 * pi / length(1)) ** 2) <= 1e-14), 'one axis')
        call flat%destroy()
        call psg_grid_init(grid, [nx, ny, nz, 2], [length, 1.0_real64])
        call flat%create(grid, status=status)
        call refused(PSG_ERR_ARG, 'axes = 4', 'four axes')
        call psg_grid_init(grid, [nx, ny, nz], length)
    end subroutine two_axes

    !> With f = 0 between values on the sides u is a straight line through the middles of cells.
    subroutine stretched()
        real(real64), target :: faces(nz + 1)
        type(psg_plan) :: own
        type(psg_terms) :: terms
        integer :: k
        faces = [0.0_real64, 0.5_real64, 0.7_real64, 1.6_real64, 1.75_real64, 3.0_real64]
        call psg_options_init(options)
        call psg_options_set(options, 'gpus', '0')
        grid%axis(3)%faces = c_loc(faces)
        grid%axis(3)%bc = PSG_BC_DIRICHLET
        call own%create(grid, options)
        terms%value(:, 3) = [1.0_real64, 7.0_real64]
        f = 0
        call own%solve(f, u, terms=terms)
        do k = 1, nz
            call check(all(abs(u(:, :, k) - 1 - faces(k) - faces(k + 1)) <= 1e-13), 'between faces')
        end do
        call own%destroy()
        grid%axis(3)%bc = PSG_BC_ROBIN
        grid%axis(3)%robin = [0.5_real64, 2.0_real64]
        call own%create(grid, options)
        terms%value(:, 3) = [2 - 0.5_real64, 2 + 2 * 7.0_real64]
        call own%solve(f, u, terms=terms)
        do k = 1, nz
            call check(all(abs(u(:, :, k) - 1 - faces(k) - faces(k + 1)) <= 1e-13), 'Robin sides')
        end do
        call own%destroy()
        faces(2) = 0.7_real64
        call own%create(grid, options, status=status)
        call refused(PSG_ERR_ARG, 'faces 1 and 2 along z', 'faces')
        call psg_grid_init(grid, [nx, ny, nz], length)
        options%precision = PSG_F32
    end subroutine stretched

    !> Modes of f in place of f, and of u beside u or in place of it: complex with periodic axes,
    !> and real between walls.
    subroutine modes()
        complex(real64), target :: from(4, ny, nz), to(4, ny, nz) ! nx/2 + 1
        real(real64), target :: sines(nx + 1, ny, nz), back(nx, ny, nz)
        complex(real64) :: turn(nx)
        type(psg_plan) :: walls
        logical :: is_complex
        integer :: k
        call random_number(f)
        call plan%solve(f, u, terms=psg_terms(u_modes=c_loc(to)))
        call plan%local_modes(lo, n, is_complex)
        call check(all(lo == 0) .and. all(n == shape(to)) .and. is_complex, 'complex modes')
        turn = exp([(cmplx(0, -2 * pi * i / nx, real64), i=0, nx - 1)])
        do k = 1, size(to, 1) ! those of a sum along y and z
            from(k, 1, 1) = sum(turn ** (k - 1) * sum(sum(u, 3), 2))
        end do
        call check(all(abs(to(:, 1, 1) - from(:, 1, 1)) <= 1e-13), 'modes of u by their definition')
        from = 77
        call plan%submit(c_loc(f), c_null_ptr, terms=psg_terms(u_modes=c_loc(from)))
        call plan%wait()
        call check(all(abs(from - to) <= 0), 'modes of u alone')
        do i = 1, 2 ! modes of u are those of an f
            call plan%solve(c_null_ptr, c_loc(back), lambda=2.0_real64, &
                terms=psg_terms(f_modes=c_loc(from)))
            call plan%solve(c_null_ptr, c_null_ptr, lambda=2.0_real64, &
                terms=psg_terms(f_modes=c_loc(from), u_modes=c_loc(from)))
            call plan%solve(u, wave, lambda=2.0_real64)
            call check(near(back, wave), 'modes of f')
            u = wave
        end do
        call plan%solve(c_loc(f), c_loc(u), terms=psg_terms(f_modes=c_loc(from)), status=status)
        call refused(PSG_ERR_ARG, 'f and f_modes are both given', 'f twice')
        call plan%solve(c_null_ptr, c_loc(u), status=status)
        call refused(PSG_ERR_ARG, 'f is NULL', 'no f')
        call plan%solve(c_loc(f), c_null_ptr, terms=psg_terms(f_modes=c_loc(from)), status=status)
        call check(status == PSG_ERR_ARG, 'no u')

        call psg_options_init(options)
        do d = 1, 3
            grid%axis(d)%bc = PSG_BC_DIRICHLET
        end do
        call walls%create(grid, options)
        call walls%local_modes(lo, n, is_complex)
        call check(all(n == [nx, ny, nz]) .and. .not. is_complex, 'real modes')
        sines = 77
        call walls%solve(f, u, terms=psg_terms(u_modes=c_loc(sines)))
        call walls%solve(c_null_ptr, c_loc(back), terms=psg_terms(f_modes=c_loc(sines)))
        call walls%solve(u, wave)
        call check(near(back, wave) .and. all(abs(sines(nx + 1, :, :)) <= 0), 'real modes of f')
        grid%axis(1)%bc = PSG_BC_FREE
        call walls%create(grid, options)
        call walls%local_modes(lo, n, is_complex, status)
        call refused(PSG_ERR_UNSUPPORTED, 'modes of f or u: a box with free sides', 'free sides')
        call walls%destroy()
        call psg_grid_init(grid, [nx, ny, nz], length)
        options%precision = PSG_F32
    end subroutine modes

    !> 1/k^2 of the modes is what the symbol has. An octant has the rows and planes of its own grid.
    subroutine kernels()
        real(real64) :: t(4, 4, 3), want(nx, ny, nz) ! half of each axis, and one more
        type(psg_plan) :: own
        integer :: j, k
        do k = 1, size(t, 3)
            do j = 1, size(t, 2)
                do i = 1, size(t, 1)
                    t(i, j, k) = sum((2 * pi * [i - 1, j - 1, k - 1] / length) ** 2)
                end do
            end do
        end do
        t(1, 1, 1) = 1
        t = 1 / t
        t(1, 1, 1) = 0
        call random_number(f)
        call plan%solve(f, want)
        call psg_grid_init(grid, [nx, ny, nz], length)
        call psg_options_init(options)
        call psg_options_set(options, 'kernel', 'user')
        call psg_options_set(options, 'factor', '-2')
        call own%create(grid, options)
        call own%set_kernel(PSG_KERNEL_FORM_MODES, t(:, :, 2:), status)
        call refused(PSG_ERR_ARG, 'the kernel has 4 x 4 x 2 values', 'another shape')
        call own%set_kernel(PSG_KERNEL_FORM_MODES, t)
        call own%solve(f, u)
        call check(near(u, want), 'the modes of a kernel')
        call own%destroy()
        options%precision = PSG_F32
    end subroutine kernels

    !> u = 1 + 2 x + x y between walls along x, with u on one and its derivative on the other; its gradient; variable coefficients.
    subroutine terms_of_a_solve()
        real(real64), target :: slope(nx, ny, nz, 3), high(ny, nz), eps(nx, ny, nz), back(nx, ny, nz)
        real(real64) :: x(nx), y(ny), h, history(100)
        type(psg_terms) :: terms
        type(psg_plan) :: walls, plates
        type(psg_statistics) :: found
        integer :: j, count
        grid%axis(1)%points = PSG_POINTS_CELLS
        grid%axis(1)%bc = [PSG_BC_DIRICHLET, PSG_BC_NEUMANN]
        grid%axis(2)%bc = PSG_BC_NEUMANN
        call psg_options_init(options)
        call psg_options_set(options, 'symbol', 'fd2')
        call walls%create(grid, options)
        h = length(1) / nx
        x = [((i - 0.5_real64) * h, i=1, nx)]
        y = [((i - 0.5_real64) * length(2) / ny, i=1, ny)]
        do j = 1, ny
            wave(:, j, :) = spread(1 + 2 * x + x * y(j), 2, nz)
            high(j, :) = 2 + y(j)
        end do
        ! Along y the derivative is x, which a number is not: f takes it, h_y away from the sides.
        f = 0
        f(:, 1, :) = spread(x, 2, nz) / (length(2) / ny)
        f(:, ny, :) = -f(:, 1, :)
        slope = 77
        terms%value(1, 1) = 1
        terms%side(2, 1) = c_loc(high)
        terms%gradient = [c_loc(slope(1, 1, 1, 1)), c_loc(slope(1, 1, 1, 2)), c_loc(slope(1, 1, 1, 3))]
        call walls%solve(f, u, terms=terms)
        call check(near(u, wave), 'values on sides')
        do j = 1, ny
            call check(all(abs(slope(:, j, :, 1) - (2 + y(j))) <= 1e-12_real64), 'the derivative along x')
        end do
        call check(all(abs(slope(:, :ny - 1, :, 2) - spread(spread(x, 2, ny - 1), 3, nz)) <= 1e-12_real64), 'along y')
        call check(all(abs(slope(:, ny, :, 2)) <= 1e-12_real64) .and. all(abs(slope(:, :, :, 3)) <= 1e-12_real64), 'along z')
        back = u
        u = 0
        call walls%submit(c_loc(f), c_loc(u), terms=terms)
        call walls%wait()
        call check(all(u == back), 'values in a solve in flight')
        terms%gradient(2) = c_loc(u)
        call walls%solve(f, u, terms=terms, status=status)
        call check(status == PSG_ERR_ARG, 'a gradient that is u')
        terms%gradient = c_null_ptr
        call plan%solve(f, u, terms=terms, status=status)
        call check(status /= PSG_OK, 'values on a periodic side')

        ! With the symbol spectral the derivatives are those at the points.
        terms = psg_terms()
        terms%gradient = [c_loc(slope(1, 1, 1, 1)), c_null_ptr, c_loc(slope(1, 1, 1, 3))]
        do i = 1, nx
            wave(i, :, :) = cos(2 * pi * (i - 1) / nx)
        end do
        f = (2 * pi / length(1))**2 / 2 * wave ! the plan's factor is -2
        call plan%solve(f, u, terms=psg_terms(box=2 * length))
        back = u / 4
        call plan%solve(f, u, terms=terms)
        call check(near(u, back), 'the box of a solve')
        call check(near(u, wave), 'a wave')
        do i = 1, nx
            call check(all(abs(slope(i, :, :, 1) + 2 * pi * sin(2 * pi * (i - 1) / nx)) <= 1e-12_real64), 'its derivative')
        end do
        call check(all(abs(slope(:, :, :, 3)) <= 1e-12_real64), 'and that along z')

        grid%axis(1)%bc = PSG_BC_PERIODIC
        grid%axis(2)%bc = PSG_BC_PERIODIC
        call walls%create(grid, options)
        do i = 1, nx
            eps(i, :, :) = 2 + sin(2 * pi * x(i))
            f(i, :, :) = cos(2 * pi * x(i))
        end do
        terms = psg_terms(epsilon=c_loc(eps), tolerance=1e-12_real64)
        call walls%solve(f, u, terms=terms)
        do i = 1, nx ! what flows through both faces of a cell
            j = modulo(i, nx) + 1
            d = modulo(i - 2, nx) + 1
            back(i, :, :) = (2 * eps(i, :, :) * eps(j, :, :) / (eps(i, :, :) + eps(j, :, :)) * (u(j, :, :) - u(i, :, :)) &
                + 2 * eps(i, :, :) * eps(d, :, :) / (eps(i, :, :) + eps(d, :, :)) * (u(d, :, :) - u(i, :, :))) / h ** 2
        end do
        call check(all(abs(back - f + sum(f) / size(f)) <= 1e-10_real64), 'variable coefficients')
        call walls%statistics(found)
        call walls%residuals(history, count)
        call check(count == found%iterations + 1, 'a residual for each iteration')
        call check(history(1) == 1, 'the first residual')
        call check(history(count) <= 1e-12_real64 .and. all(history(2:count) > 0), 'the residuals')
        call walls%residuals(history(:2), d)
        call check(d == count, 'room for two residuals of all')
        terms%iterations = 1
        terms%guess = 1
        call walls%solve(f, u, terms=terms, status=status)
        call check(status == PSG_OK, 'the answer as a guess')
        terms%guess = 0
        call walls%solve(f, u, terms=terms, status=status)
        call check(status == PSG_ERR_DATA, 'too few iterations')
        do i = 1, nx ! the same on the faces along x, and all closed along y and z
            j = modulo(i, nx) + 1
            slope(i, :, :, 1) = 2 * eps(i, :, :) * eps(j, :, :) / (eps(i, :, :) + eps(j, :, :))
        end do
        slope(:, :, :, 2:) = 0
        terms = psg_terms(epsilon=c_loc(eps), tolerance=1e-12_real64)
        call walls%solve(f, back, terms=terms)
        terms%epsilon = c_null_ptr
        do i = 1, 3
            terms%epsilon_faces(i) = c_loc(slope(1, 1, 1, i))
        end do
        call walls%solve(f, u, terms=terms)
        call check(all(abs(u - back) <= 1e-10_real64 * maxval(abs(back))), 'coefficients on faces')
        terms%epsilon = c_loc(eps)
        call walls%solve(f, u, terms=terms, status=status)
        call check(status == PSG_ERR_ARG, 'epsilon and epsilon_faces')
        ! Two dielectrics between plates: u rises four times as fast in the first.
        grid%axis(1)%bc = PSG_BC_DIRICHLET
        call plates%create(grid, options)
        f = 0
        eps(:3, :, :) = 1
        eps(4:, :, :) = 4
        terms = psg_terms(epsilon=c_loc(eps), tolerance=1e-13_real64)
        terms%value(2, 1) = 4
        call plates%solve(f, u, terms=terms)
        do i = 1, nx
            d = min(i, 3)
            h = merge(i - 0.5_real64, 3 + (i - 3.5_real64) / 4, i == d)
            call check(all(abs(u(i, :, :) - h) <= 1e-11_real64), 'dielectrics between plates')
        end do
        call plates%destroy()
        call plates%residuals(history, d, status)
        call check(status == PSG_ERR_ARG .and. d == 0, 'no residuals of no plan')
        terms = psg_terms(epsilon=c_loc(eps))
        eps(3, 2, 1) = -1
        call walls%solve(f, u, terms=terms, status=status)
        call check(status == PSG_ERR_DATA, 'an epsilon below 0')
        call walls%destroy()
    end subroutine terms_of_a_solve

    !> Right-hand sides that follow one another: all at once, in place, and those that are none.
    subroutine several()
        real(real64), target :: many(nx, ny, nz, 3), solved(nx, ny, nz, 3)
        integer :: m
        do m = 1, 3
            do i = 1, nx
                many(i, :, :, m) = m * cos(2 * pi * (i - 1 + m) / nx)
            end do
        end do
        solved = 77
        call plan%solve_many(2, c_loc(many), c_loc(solved))
        do m = 1, 2
            call check(near(solved(:, :, :, m), 2 * many(:, :, :, m) / (2 * pi / length(1)) ** 2), 'several right-hand sides')
        end do
        call check(count(solved(:, :, :, 3) == 77) == size(f), 'beside them')
        call plan%solve_many(3, c_loc(many), c_loc(solved))
        call plan%solve_many(3, c_loc(many), c_loc(many))
        call check(all(many == solved), 'several in place')
        call plan%solve_many(0, c_loc(many), c_loc(solved), status=status)
        call refused(PSG_ERR_ARG, 'count is 0: there is no right-hand side', 'none')
        call plan%solve_many(-1, c_loc(many), c_loc(solved), status=status)
        call refused(PSG_ERR_ARG, 'count is 0', 'fewer than none')
        call plan%solve_many(3, c_null_ptr, c_loc(solved), status=status)
        call check(status == PSG_ERR_ARG, 'no f')
    end subroutine several

    function near(a, b)
        real(real64), intent(in) :: a(:, :, :), b(:, :, :)
        logical :: near
        near = all(abs(a - b) <= 1e-13_real64 * maxval(abs(b))) ! maxval() alone would forget a NaN
    end function near

    !> The status of the latest call, and the beginning of its words.
    subroutine refused(expected, beginning, words)
        integer, intent(in) :: expected
        character(*), intent(in) :: beginning, words
        character(:), allocatable :: said
        said = psg_message()
        call check(status == expected .and. index(said, beginning) == 1, words)
    end subroutine refused

    subroutine check(good, words)
        logical, intent(in) :: good
        character(*), intent(in) :: words
        if (good) return
        write (error_unit, '(4a)') words, ': ', psg_message()
        error stop 1
    end subroutine check

end program solve
