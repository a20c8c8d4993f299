!> PoissonGraph for Fortran: lap(u) - lambda u = factor f in three dimensions, or two.
!>
!>     use psg
!>     type(psg_grid) :: grid
!>     type(psg_options) :: options
!>     type(psg_plan) :: plan
!>     call psg_grid_init(grid, [nx, ny, nz], [lx, ly, lz])
!>     call psg_options_init(options)
!>     call psg_options_set(options, 'symbol', 'fd2')
!>     call plan%create(grid, options)
!>     call plan%solve(f, u)                     ! real(real64) :: f(nx, ny, nz), u(nx, ny, nz)
!>     call plan%destroy()
!>
!> The types with bind(c) are the structures of graph/psg.h and graph/psg_observe.h, which say what each field means. A call that
!> fails sets `status`, and psg_message() has the words. A call without `status` stops the program with these words.
module psg
    use, intrinsic :: iso_c_binding
    use, intrinsic :: iso_fortran_env, only: error_unit, real32, real64
    implicit none
    private

    public :: psg_axis, psg_grid, psg_options, psg_plan, psg_terms, psg_statistics, psg_stage_statistics, psg_link_statistics
    public :: psg_submit_statistics, psg_grid_init, psg_options_init, psg_options_set, psg_options_get, psg_axis_points, &
        psg_good_length, psg_message

    ! psg_status, psg_bc, psg_points, psg_precision and psg_kernel_form
    integer(c_int), parameter, public :: PSG_OK = 0, PSG_ERR_ARG = 1, PSG_ERR_UNSUPPORTED = 2, PSG_ERR_MEMORY = 3, &
        PSG_ERR_NODEV = 4, PSG_ERR_DATA = 5, PSG_ERR_MEAN = 6, PSG_ERR_STATE = 7, PSG_ERR_RUNTIME = 8
    integer(c_int), parameter, public :: PSG_BC_PERIODIC = 0, PSG_BC_DIRICHLET = 1, PSG_BC_NEUMANN = 2, PSG_BC_FREE = 3, &
        PSG_BC_ROBIN = 4, PSG_POINTS_CELLS = 0, PSG_POINTS_NODES = 1, PSG_F64 = 0, PSG_F32 = 1, &
        PSG_KERNEL_FORM_SPACE = 0, PSG_KERNEL_FORM_MODES = 1, PSG_KERNEL_FORM_SPECTRUM = 2
    integer(c_int), parameter :: PSG_HOST = -1, PSG_ASK = -2

    type, bind(c) :: psg_axis
        integer(c_size_t) :: n
        real(c_double) :: length
        integer(c_int) :: bc(2), points
        type(c_ptr) :: faces !< c_loc() of n + 1 positions until the plan is made, or c_null_ptr
        real(c_double) :: robin(2) !< k of Robin sides; else 0
    end type psg_axis
    type, bind(c) :: psg_grid
        type(psg_axis) :: axis(3)
        integer(c_int) :: axes
    end type psg_grid

    type, bind(c) :: psg_options
        integer(c_size_t) :: struct_size
        integer(c_int) :: precision, symbol
        real(c_double) :: lambda
        integer(c_int) :: mean
        real(c_double) :: mean_tolerance
        integer(c_int) :: graph, exchange, z_layout
        integer(c_size_t) :: segment_planes, sheets
        integer(c_int) :: cpus, gpus
        type(c_ptr) :: gpu_ids, policy
        integer(c_int) :: effort
        type(c_ptr) :: cache_dir
        integer(c_int) :: in_flight
        type(c_ptr) :: comm
        integer(c_int) :: calibrate, record
        type(c_ptr) :: machine
        integer(c_int) :: tuned
        real(c_double) :: cpu_share
        integer(c_int) :: executor
        real(c_double) :: network
        integer(c_int) :: nodes
        real(c_double) :: time_limit, factor
        integer(c_size_t) :: batch
        integer(c_int) :: placement, kernel, wire_bits
    end type psg_options

    integer, parameter :: STAGES = 16, LINKS = 4, TERMS_ARRAYS = 15
    type, bind(c) :: psg_stage_statistics
        integer(c_int64_t) :: tasks
        real(c_double) :: seconds
    end type psg_stage_statistics
    type, bind(c) :: psg_link_statistics
        integer(c_int64_t) :: bytes
        real(c_double) :: seconds
    end type psg_link_statistics
    type, bind(c) :: psg_submit_statistics
        real(c_double) :: seconds
        integer(c_size_t) :: tasks, pieces, starpu_tasks, placed_tasks
        integer(c_int) :: executor
    end type psg_submit_statistics
    type, bind(c) :: psg_statistics
        integer(c_size_t) :: struct_size
        real(c_double) :: plan_seconds
        integer(c_int) :: ranks, rank
        integer(c_size_t) :: workers, segments, sheets, segment_planes
        integer(c_int) :: graph, z_layout, exchange
        integer(c_size_t) :: returned_rows, fetched_rows
        integer(c_int) :: tuned
        integer(c_size_t) :: spectrum_bytes, scratch_bytes
        integer(c_int64_t) :: solves
        real(c_double) :: submitted, seconds, mean
        type(psg_stage_statistics) :: stage(STAGES)
        integer(c_int64_t) :: copied_bytes
        integer(c_size_t) :: cpu_planes, cpu_rows
        type(psg_submit_statistics) :: submit
        type(psg_link_statistics) :: link(LINKS)
        integer(c_size_t) :: iterations
        real(c_double) :: residual
    end type psg_statistics
    type, bind(c) :: c_array ! psg_array
        type(c_ptr) :: data
        integer(c_int) :: device
        integer(c_size_t) :: stride(3)
        type(c_ptr) :: stream
    end type c_array
    type, bind(c) :: c_args ! psg_solve_args
        integer(c_size_t) :: struct_size
        real(c_double) :: lambda, factor
        integer(c_int) :: mean, guess
        real(c_double) :: value(2, 3)
        type(c_ptr) :: side(2, 3), gradient(3), epsilon
        real(c_double) :: tolerance
        integer(c_size_t) :: iterations
        real(c_double) :: box(3)
        integer(c_intptr_t) :: side_step(2, 3)
        type(c_ptr) :: f_modes, u_modes, epsilon_faces(3)
    end type c_args

    !> What a solve may have besides lambda and factor: psg_solve_args in graph/psg.h. `value` and `side` are by side, 1 for the
    !> lower one, and axis. box 0: the plan's. Pointers are c_loc() of dense arrays of the plan's kind of real: side(:, 1) is
    !> (ny, nz), (:, 2) (nx, nz) and (:, 3) (nx, ny), in main memory; gradient(d), of u along axis d, and epsilon have u's shape,
    !> as epsilon_faces(d). f_modes stands in place of f, u_modes beside u or in its place, then
    !> c_null_ptr: complex (nx/2+1, ny, nz), or what local_modes() says; see graph/psg_modes.h.
    type :: psg_terms
        real(real64) :: value(2, 3) = 0, tolerance = 0, box(3) = 0
        type(c_ptr) :: side(2, 3) = c_null_ptr, gradient(3) = c_null_ptr, epsilon = c_null_ptr
        type(c_ptr) :: f_modes = c_null_ptr, u_modes = c_null_ptr, epsilon_faces(3) = c_null_ptr
        integer :: iterations = 0, guess = 0
    end type psg_terms

    !> A solver for one grid and set of options. With `comm` its calls but local_box() and statistics() are collective.
    type :: psg_plan
        private
        type(c_ptr) :: handle = c_null_ptr
        integer(c_int) :: precision = PSG_F64
    contains
        procedure :: create, destroy, local_box, set_box, statistics, set_kernel, wait, submit, solve_many
        procedure :: local_modes, project, residuals
        procedure, private :: solve_real64, solve_real32, solve_pointer
        generic :: solve => solve_real64, solve_real32, solve_pointer
    end type psg_plan

    interface
        subroutine c_options_init(options, bytes) bind(c, name='psg_options_init')
            import :: psg_options, c_size_t
            type(psg_options), intent(out) :: options
            integer(c_size_t), value :: bytes
        end subroutine c_options_init
        integer(c_int) function c_options_set(options, name, text) bind(c, name='psg_options_set')
            import :: psg_options, c_char, c_int, c_ptr
            type(psg_options), intent(inout) :: options
            character(kind=c_char), intent(in) :: name(*)
            type(c_ptr), value :: text
        end function c_options_set
        integer(c_int) function c_options_get(options, name, text, room) bind(c, name='psg_options_get')
            import :: psg_options, c_char, c_int, c_size_t
            type(psg_options), intent(in) :: options
            character(kind=c_char), intent(in) :: name(*)
            character(kind=c_char), intent(out) :: text(*)
            integer(c_size_t), value :: room
        end function c_options_get
        integer(c_int) function c_axis_points(axis, first, step) bind(c, name='psg_axis_points')
            import :: psg_axis, c_double, c_int
            type(psg_axis), intent(in) :: axis
            real(c_double), intent(out) :: first, step
        end function c_axis_points
        integer(c_int) function c_good_length(n, bc, points, good) bind(c, name='psg_good_length')
            import :: c_int, c_size_t
            integer(c_size_t), value :: n
            integer(c_int), intent(in) :: bc(2)
            integer(c_int), value :: points
            integer(c_size_t), intent(inout) :: good
        end function c_good_length
        integer(c_int) function c_plan_create(plan, grid, options) bind(c, name='psg_plan_create')
            import :: psg_grid, psg_options, c_int, c_ptr
            type(c_ptr), intent(out) :: plan
            type(psg_grid), intent(in) :: grid
            type(psg_options), intent(in) :: options
        end function c_plan_create
        subroutine c_plan_destroy(plan) bind(c, name='psg_plan_destroy')
            import :: c_ptr
            type(c_ptr), value :: plan
        end subroutine c_plan_destroy
        integer(c_int) function c_refuse(plan, options, status, words) bind(c, name='psg_call_refuse')
            import :: c_char, c_int, c_ptr
            type(c_ptr), value :: plan, options
            integer(c_int), value :: status
            character(kind=c_char), intent(in) :: words(*)
        end function c_refuse
        integer(c_int) function c_args_init(args, plan, bytes) bind(c, name='psg_solve_args_init')
            import :: c_args, c_int, c_ptr, c_size_t
            type(c_args), intent(out) :: args
            type(c_ptr), value :: plan
            integer(c_size_t), value :: bytes
        end function c_args_init
        integer(c_int) function c_kernel(plan, form, n, values) bind(c, name='psg_plan_kernel')
            import :: c_double, c_int, c_ptr, c_size_t
            type(c_ptr), value :: plan
            integer(c_int), value :: form
            integer(c_size_t), intent(in) :: n(3)
            real(c_double), intent(in) :: values(*)
        end function c_kernel
        integer(c_int) function c_many(plan, count, f, u, args) bind(c, name='psg_solve_many_arrays')
            import :: c_array, c_int, c_ptr, c_size_t
            type(c_ptr), value :: plan, args
            integer(c_size_t), value :: count
            type(c_array), intent(in) :: f, u
        end function c_many
        integer(c_int) function c_project(plan, v, u, args) bind(c, name='psg_project')
            import :: c_args, c_array, c_int, c_ptr
            type(c_ptr), value :: plan, u
            type(c_array), intent(in) :: v(3)
            type(c_args), intent(in) :: args
        end function c_project
        integer(c_int) function c_wait(plan) bind(c, name='psg_wait')
            import :: c_int, c_ptr
            type(c_ptr), value :: plan
        end function c_wait
        integer(c_int) function c_local_box(plan, device, lo, n) bind(c, name='psg_plan_local_box')
            import :: c_int, c_ptr, c_size_t
            type(c_ptr), value :: plan
            integer(c_int), value :: device
            integer(c_size_t), intent(out) :: lo(3), n(3)
        end function c_local_box
        integer(c_int) function c_box(plan, lo, n) bind(c, name='psg_plan_box')
            import :: c_int, c_ptr, c_size_t
            type(c_ptr), value :: plan
            integer(c_size_t), intent(in) :: lo(3), n(3)
        end function c_box
        integer(c_int) function c_local_modes(plan, lo, n, is_complex) &
            bind(c, name='psg_plan_local_modes')
            import :: c_int, c_ptr, c_size_t
            type(c_ptr), value :: plan
            integer(c_size_t), intent(inout) :: lo(3), n(3)
            integer(c_int), intent(inout) :: is_complex
        end function c_local_modes
        integer(c_int) function c_statistics(plan, statistics, bytes) bind(c, name='psg_plan_statistics')
            import :: psg_statistics, c_int, c_ptr, c_size_t
            type(c_ptr), value :: plan
            type(psg_statistics), intent(out) :: statistics
            integer(c_size_t), value :: bytes
        end function c_statistics
        integer(c_int) function c_residuals(plan, first, found, room, count) &
                bind(c, name='psg_plan_residuals')
            import :: c_double, c_int, c_ptr, c_size_t
            type(c_ptr), value :: plan
            integer(c_size_t), value :: first, room
            real(c_double), intent(inout) :: found(*)
            integer(c_size_t), intent(out) :: count
        end function c_residuals
        type(c_ptr) function c_last_error() bind(c, name='psg_last_error')
            import :: c_ptr
        end function c_last_error
        integer(c_size_t) function c_strlen(text) bind(c, name='strlen')
            import :: c_ptr, c_size_t
            type(c_ptr), value :: text
        end function c_strlen
        type(c_funptr) function c_dlsym(handle, name) bind(c, name='dlsym')
            import :: c_char, c_funptr, c_ptr
            type(c_ptr), value :: handle
            character(kind=c_char), intent(in) :: name(*)
        end function c_dlsym
    end interface
    abstract interface
        integer(c_int) function c_arrays(plan, count, f, u, args) bind(c)
            import :: c_args, c_int, c_ptr, c_size_t
            type(c_ptr), value :: plan, f, u
            integer(c_size_t), value :: count
            type(c_args), intent(in) :: args
        end function c_arrays
        type(c_ptr) function comm_f2c(comm) bind(c)
            import :: c_int, c_ptr
            integer(c_int), value :: comm
        end function comm_f2c
    end interface
    procedure(c_arrays), bind(c, name='psg_solve_arrays') :: c_solve_arrays
    procedure(c_arrays), bind(c, name='psg_submit_arrays') :: c_submit_arrays

contains
    ! -------------------------------------------------------------------------------------- words
    !> What went wrong in the latest call of this thread that failed.
    function psg_message() result(words)
        character(:), allocatable :: words
        character(kind=c_char), pointer :: letters(:)
        type(c_ptr) :: text
        text = c_last_error()
        call c_f_pointer(text, letters, [c_strlen(text)])
        allocate (character(size(letters)) :: words)
        words = transfer(letters, words)
    end function psg_message

    subroutine finish(found, status)
        integer(c_int), intent(in) :: found
        integer, intent(out), optional :: status
        if (present(status)) then
            status = found
        else if (found /= PSG_OK) then
            write (error_unit, '(2a)') 'psg: ', psg_message()
            error stop 1
        end if
    end subroutine finish

    ! ------------------------------------------------------------------------- grid and options
    !> A periodic grid of n = [nx, ny, nz] points, in 2-D [nx, ny], on a box of these lengths.
    subroutine psg_grid_init(grid, n, length)
        type(psg_grid), intent(out) :: grid
        integer, intent(in) :: n(:)
        real(real64), intent(in) :: length(size(n))
        integer :: d
        grid = psg_grid(psg_axis(1_c_size_t, 1.0_c_double, [PSG_BC_PERIODIC, PSG_BC_PERIODIC], &
            PSG_POINTS_CELLS, c_null_ptr, [0.0_c_double, 0.0_c_double]), size(n))
        do d = 1, min(3, size(n))
            grid%axis(d)%n = n(d)
            grid%axis(d)%length = length(d)
        end do
    end subroutine psg_grid_init

    !> Where the points of an axis are: point i at first + (i - 1) step.
    subroutine psg_axis_points(axis, first, step, status)
        type(psg_axis), intent(in) :: axis
        real(real64), intent(out) :: first, step
        integer, intent(out), optional :: status
        call finish(c_axis_points(axis, first, step), status)
    end subroutine psg_axis_points

    !> The smallest number of points >= n along an axis whose transform is fast, see graph/psg.h.
    subroutine psg_good_length(n, bc, points, good, status)
        integer, intent(in) :: n
        integer(c_int), intent(in) :: bc(2), points
        integer, intent(out) :: good
        integer, intent(out), optional :: status
        integer(c_size_t) :: found
        found = 0
        call finish(c_good_length(int(n, c_size_t), bc, points, found), status)
        good = int(found)
    end subroutine psg_good_length

    subroutine psg_options_init(options)
        type(psg_options), intent(out) :: options
        call c_options_init(options, c_sizeof(options))
    end subroutine psg_options_init

    !> Set an option by its name: 'graph', 'staged'. `psg solve --help` lists them. The text stays in memory until the program
    !> ends, because the options point to some of them.
    subroutine psg_options_set(options, name, text, status)
        type(psg_options), intent(inout) :: options
        character(*), intent(in) :: name, text
        integer, intent(out), optional :: status
        character(kind=c_char), pointer :: kept(:)
        integer :: m
        allocate (kept(len(text) + 1))
        kept = [(text(m:m), m = 1, len(text)), c_null_char]
        call finish(c_options_set(options, trim(name) // c_null_char, c_loc(kept)), status)
    end subroutine psg_options_set

    !> The value of an option as psg_options_set() reads it.
    subroutine psg_options_get(options, name, text, status)
        type(psg_options), intent(in) :: options
        character(*), intent(in) :: name
        character(:), allocatable, intent(out) :: text
        integer, intent(out), optional :: status
        character(kind=c_char, len=4096) :: room
        integer(c_int) :: found
        room = ''
        found = c_options_get(options, trim(name) // c_null_char, room, int(len(room), c_size_t))
        text = room(:max(0, index(room, c_null_char) - 1))
        call finish(found, status)
    end subroutine psg_options_get

    ! --------------------------------------------------------------------------------------- plan
    !> @param comm  a communicator of module mpi, or comm%mpi_val of one of module mpi_f08: its processes solve together
    subroutine create(plan, grid, options, comm, status)
        class(psg_plan), intent(inout) :: plan
        type(psg_grid), intent(in) :: grid
        type(psg_options), intent(in), optional :: options
        integer, intent(in), optional :: comm
        integer, intent(out), optional :: status
        type(psg_options) :: chosen
        type(c_ptr), target :: handle
        call plan%destroy()
        call psg_options_init(chosen)
        if (present(options)) chosen = options
        if (present(comm)) then
            handle = c_handle(comm)
            chosen%comm = c_loc(handle)
        end if
        plan%precision = chosen%precision
        call finish(c_plan_create(plan%handle, grid, chosen), status)
    end subroutine create

    !> The MPI_Comm of C, which is a pointer or an int. A program without MPI need not link it, so MPI_Comm_f2c() is looked up. An
    !> MPI where it is a macro alone has the same int in both languages.
    function c_handle(comm) result(handle)
        integer, intent(in) :: comm
        type(c_ptr) :: handle
        procedure(comm_f2c), pointer :: convert
        type(c_funptr) :: found
        found = c_dlsym(c_null_ptr, 'MPI_Comm_f2c' // c_null_char)
        handle = transfer(int(comm, c_intptr_t), handle)
        if (c_associated(found)) then
            call c_f_procpointer(found, convert)
            handle = convert(int(comm, c_int))
        end if
    end function c_handle

    subroutine destroy(plan)
        class(psg_plan), intent(inout) :: plan
        call c_plan_destroy(plan%handle)
        plan%handle = c_null_ptr
    end subroutine destroy

    !> The part of the grid that is this process': points lo(d) + 1 .. lo(d) + n(d) along x, y, z; or a GPU's.
    subroutine local_box(plan, lo, n, device, status)
        class(psg_plan), intent(in) :: plan
        integer, intent(out) :: lo(3), n(3)
        integer, intent(in), optional :: device
        integer, intent(out), optional :: status
        integer(c_size_t) :: c_lo(3), c_n(3)
        integer(c_int) :: where_, found
        where_ = PSG_HOST
        if (present(device)) where_ = int(device, c_int)
        c_lo = 0
        c_n = 0
        found = c_local_box(plan%handle, where_, c_lo, c_n)
        lo = int(c_lo)
        n = int(c_n)
        call finish(found, status)
    end subroutine local_box

    !> The modes that are this process', of all along x and z: see psg_plan_local_modes(). Where
    !> is_complex is false they are real numbers.
    subroutine local_modes(plan, lo, n, is_complex, status)
        class(psg_plan), intent(in) :: plan
        integer, intent(out) :: lo(3), n(3)
        logical, intent(out) :: is_complex
        integer, intent(out), optional :: status
        integer(c_size_t) :: c_lo(3), c_n(3)
        integer(c_int) :: are, found
        c_lo = 0
        c_n = 0
        are = 0
        found = c_local_modes(plan%handle, c_lo, c_n, are)
        lo = int(c_lo)
        n = int(c_n)
        is_complex = are /= 0
        call finish(found, status)
    end subroutine local_modes

    !> Points lo(d) + 1 .. lo(d) + n(d) along x, y, z are this process': see psg_plan_box(). Collective.
    subroutine set_box(plan, lo, n, status)
        class(psg_plan), intent(in) :: plan
        integer, intent(in) :: lo(3), n(3)
        integer, intent(out), optional :: status
        call finish(c_box(plan%handle, int(lo, c_size_t), int(n, c_size_t)), status)
    end subroutine set_box

    !> The kernel of a plan with kernel 'user': see psg_plan_kernel(). The first index is x.
    subroutine set_kernel(plan, form, values, status)
        class(psg_plan), intent(in) :: plan
        integer(c_int), intent(in) :: form
        real(real64), intent(in) :: values(:, :, :)
        integer, intent(out), optional :: status
        call finish(c_kernel(plan%handle, form, shape(values, c_size_t), values), status)
    end subroutine set_kernel

    !> What psg_observe.h has about the plan and its latest solve.
    subroutine statistics(plan, found, status)
        class(psg_plan), intent(in) :: plan
        type(psg_statistics), intent(out) :: found
        integer, intent(out), optional :: status
        call finish(c_statistics(plan%handle, found, c_sizeof(found)), status)
    end subroutine statistics

    !> found(m + 1) is the residual after m iterations of the latest solve with epsilon, as a share
    !> of f. count are known.
    subroutine residuals(plan, found, count, status)
        class(psg_plan), intent(in) :: plan
        real(real64), intent(inout) :: found(:)
        integer, intent(out) :: count
        integer, intent(out), optional :: status
        integer(c_size_t) :: known
        integer(c_int) :: how
        how = c_residuals(plan%handle, 0_c_size_t, found, size(found, kind=c_size_t), known)
        count = merge(int(known), 0, how == PSG_OK)
        call finish(how, status)
    end subroutine residuals

    ! -------------------------------------------------------------------------------------- solve
    !> @param at  what the pointers of args point to
    subroutine take_terms(plan, args, at, found, stream, lambda, factor, terms)
        type(psg_plan), intent(in) :: plan
        type(c_args), intent(out) :: args
        type(c_array), intent(out), target :: at(TERMS_ARRAYS)
        integer(c_int), intent(out) :: found
        type(c_ptr), intent(in) :: stream
        real(real64), intent(in), optional :: lambda, factor
        type(psg_terms), intent(in), optional, target :: terms
        type(c_ptr) :: given(TERMS_ARRAYS)
        integer :: m
        found = c_args_init(args, plan%handle, c_sizeof(args))
        if (present(lambda)) args%lambda = lambda
        if (present(factor)) args%factor = factor
        if (.not. present(terms)) return
        args%value = terms%value
        args%tolerance = terms%tolerance
        args%iterations = int(terms%iterations, c_size_t); args%guess = int(terms%guess, c_int)
        if (any(abs(terms%box) > 0 .or. terms%box /= terms%box)) args%box = terms%box
        given = [reshape(terms%side, [6]), terms%gradient, terms%epsilon, terms%f_modes, &
            terms%u_modes, terms%epsilon_faces]
        do m = 1, TERMS_ARRAYS
            at(m) = pointed(given(m), stream)
            if (c_associated(given(m))) given(m) = c_loc(at(m))
        end do
        args%side = reshape(given(:6), [2, 3])
        args%gradient = given(7:9)
        args%epsilon = given(10)
        args%f_modes = given(11); args%u_modes = given(12)
        args%epsilon_faces = given(13:15)
    end subroutine take_terms

    subroutine run(call_, plan, f, u, lambda, factor, terms, status)
        procedure(c_arrays) :: call_
        type(psg_plan), intent(in) :: plan
        type(c_array), intent(in), target :: f, u
        real(real64), intent(in), optional :: lambda, factor
        type(psg_terms), intent(in), optional, target :: terms
        integer, intent(out), optional :: status
        type(c_args) :: args
        type(c_array) :: at(TERMS_ARRAYS)
        type(c_ptr) :: from_, to
        integer(c_int) :: found
        call take_terms(plan, args, at, found, u%stream, lambda, factor, terms)
        from_ = c_loc(f)
        to = c_loc(u)
        if (c_associated(args%f_modes) .and. .not. c_associated(f%data)) from_ = c_null_ptr
        if (c_associated(args%u_modes) .and. .not. c_associated(u%data)) to = c_null_ptr
        if (found == PSG_OK) found = call_(plan%handle, 1_c_size_t, from_, to, args)
        call finish(found, status)
    end subroutine run

    !> Solve for arrays in main memory, of this process' planes. Sections such as room(2:nx+1, 2:ny+1, 2:nz+1) are not copied; their
    !> rows are contiguous. u may be f.
    subroutine solve_real64(plan, f, u, lambda, factor, terms, status)
        class(psg_plan), intent(in) :: plan
        real(real64), intent(in), target :: f(:, :, :)
        real(real64), intent(inout), target :: u(:, :, :)
        real(real64), intent(in), optional :: lambda, factor
        type(psg_terms), intent(in), optional, target :: terms
        integer, intent(out), optional :: status
        if (.not. fits(plan, PSG_F64, shape(f), shape(u), status)) return
        call run(c_solve_arrays, plan, view64(f), view64(u), lambda, factor, terms, status)
    end subroutine solve_real64

    subroutine solve_real32(plan, f, u, lambda, factor, terms, status)
        class(psg_plan), intent(in) :: plan
        real(real32), intent(in), target :: f(:, :, :)
        real(real32), intent(inout), target :: u(:, :, :)
        real(real64), intent(in), optional :: lambda, factor
        type(psg_terms), intent(in), optional, target :: terms
        integer, intent(out), optional :: status
        if (.not. fits(plan, PSG_F32, shape(f), shape(u), status)) return
        call run(c_solve_arrays, plan, view32(f), view32(u), lambda, factor, terms, status)
    end subroutine solve_real32

    !> Solve for dense arrays wherever they are: c_loc(f), in OpenACC and OpenMP within `host_data use_device(f, u)`.
    !> @param stream  the cudaStream_t that f is written on and u is read on; without it: the legacy default stream
    subroutine solve_pointer(plan, f, u, stream, lambda, factor, terms, status)
        class(psg_plan), intent(in) :: plan
        type(c_ptr), intent(in) :: f, u
        type(c_ptr), intent(in), optional :: stream
        real(real64), intent(in), optional :: lambda, factor
        type(psg_terms), intent(in), optional, target :: terms
        integer, intent(out), optional :: status
        call run(c_solve_arrays, plan, pointed(f, stream), pointed(u, stream), lambda, factor, terms, status)
    end subroutine solve_pointer

    !> Take the divergence out of a flow on a staggered grid: psg_project() in graph/psg_project.h.
    !> @param v  c_loc() of dense arrays like f, along x, y and z; only read where there is a
    !>           terms%gradient
    !> @param u  c_loc() of an array like f; without it u is not wanted
    subroutine project(plan, v, u, lambda, factor, terms, status)
        class(psg_plan), intent(in) :: plan
        type(c_ptr), intent(in) :: v(3)
        type(c_ptr), intent(in), optional :: u
        real(real64), intent(in), optional :: lambda, factor
        type(psg_terms), intent(in), optional, target :: terms
        integer, intent(out), optional :: status
        type(c_args) :: args
        type(c_array) :: at(TERMS_ARRAYS), flow(3)
        type(c_array), target :: to
        type(c_ptr) :: result
        integer(c_int) :: found
        integer :: d
        do d = 1, 3
            flow(d) = pointed(v(d))
        end do
        result = c_null_ptr
        if (present(u)) then
            to = pointed(u)
            result = c_loc(to)
        end if
        call take_terms(plan, args, at, found, c_null_ptr, lambda, factor, terms)
        if (found == PSG_OK) found = c_project(plan%handle, flow, result, args)
        call finish(found, status)
    end subroutine project

    !> Solve for count right-hand sides, as f(nx, ny, nz, count) and u like it have them; else as solve() of pointers, with the
    !> plan's lambda and factor. Faster than one by one where they are small.
    subroutine solve_many(plan, count, f, u, stream, status)
        class(psg_plan), intent(in) :: plan
        integer, intent(in) :: count
        type(c_ptr), intent(in) :: f, u
        type(c_ptr), intent(in), optional :: stream
        integer, intent(out), optional :: status
        call finish(c_many(plan%handle, int(max(count, 0), c_size_t), pointed(f, stream), pointed(u, stream), c_null_ptr), status)
    end subroutine solve_many

    !> Start a solve of dense arrays, and return; else as solve(). The arrays live, with the attribute target or asynchronous, until
    !> wait() has returned.
    subroutine submit(plan, f, u, stream, lambda, factor, terms, status)
        class(psg_plan), intent(in) :: plan
        type(c_ptr), intent(in) :: f, u
        type(c_ptr), intent(in), optional :: stream
        real(real64), intent(in), optional :: lambda, factor
        type(psg_terms), intent(in), optional, target :: terms
        integer, intent(out), optional :: status
        call run(c_submit_arrays, plan, pointed(f, stream), pointed(u, stream), lambda, factor, terms, status)
    end subroutine submit

    !> Wait for the oldest solve submitted and not yet waited for.
    subroutine wait(plan, status)
        class(psg_plan), intent(in) :: plan
        integer, intent(out), optional :: status
        call finish(c_wait(plan%handle), status)
    end subroutine wait

    ! ------------------------------------------------------------------------------------- arrays
    !> Are f and u of the plan's kind, and this process' part of the grid? If they are not, the other processes learn it, too: they wait
    !> in the same call.
    function fits(plan, precision, f, u, status)
        type(psg_plan), intent(in) :: plan
        integer(c_int), intent(in) :: precision
        integer, intent(in) :: f(3), u(3)
        integer, intent(out), optional :: status
        logical :: fits
        integer :: lo(3), n(3), found
        character(200) :: words
        call plan%local_box(lo, n, status=found)
        fits = .false.
        if (found /= PSG_OK) then
            call finish(int(found, c_int), status)
            return
        else if (precision /= plan%precision) then
            words = merge('f and u are real(real32), and the plan is in real(real64)', &
                'f and u are real(real64), and the plan is in real(real32)', precision == PSG_F32)
        else if (any(f /= n) .or. any(u /= n)) then
            write (words, '(a,2(i0,"x"),i0,a,2(i0,"x"),i0,a,2(i0,"x"),i0)') 'f has ', f, ' points, u ', u, ', and the plan ', n
        else
            fits = .true.
            return
        end if
        call finish(c_refuse(plan%handle, c_null_ptr, PSG_ERR_ARG, trim(words) // c_null_char), status)
    end function fits

    function pointed(first, stream) result(array)
        type(c_ptr), intent(in) :: first
        type(c_ptr), intent(in), optional :: stream
        type(c_array) :: array
        array = c_array(first, PSG_ASK, [0_c_size_t, 0_c_size_t, 0_c_size_t], c_null_ptr)
        if (present(stream)) array%stream = stream
    end function pointed

    function view64(a) result(array)
        real(real64), intent(in), target :: a(:, :, :)
        type(c_array) :: array
        integer :: n(3)
        n = min(2, shape(a))
        array = placed(shape(a), [c_null_ptr, c_null_ptr, c_null_ptr, c_null_ptr], 8)
        if (size(a) > 0) array = placed(shape(a), [c_loc(a(1, 1, 1)), c_loc(a(n(1), 1, 1)), c_loc(a(1, n(2), 1)), &
            c_loc(a(1, 1, n(3)))], 8)
    end function view64

    function view32(a) result(array)
        real(real32), intent(in), target :: a(:, :, :)
        type(c_array) :: array
        integer :: n(3)
        n = min(2, shape(a))
        array = placed(shape(a), [c_null_ptr, c_null_ptr, c_null_ptr, c_null_ptr], 4)
        if (size(a) > 0) array = placed(shape(a), [c_loc(a(1, 1, 1)), c_loc(a(n(1), 1, 1)), c_loc(a(1, n(2), 1)), &
            c_loc(a(1, 1, n(3)))], 4)
    end function view32

    !> An array by the places of its first point and of that point's neighbours along x, y, z. A single point has no neighbour.
    function placed(n, at, bytes) result(array)
        integer, intent(in) :: n(3), bytes
        type(c_ptr), intent(in) :: at(4)
        type(c_array) :: array
        integer(c_size_t) :: steps(3)
        integer :: d
        steps = [1_c_size_t, int(n(1), c_size_t), int(n(1), c_size_t) * n(2)]
        do d = 1, 3
            if (n(d) > 1) steps(d) = (transfer(at(d + 1), 0_c_intptr_t) - transfer(at(1), 0_c_intptr_t)) / bytes
            if (d == 2 .and. n(3) <= 1) steps(3) = steps(2) * n(2)
        end do
        array = c_array(at(1), PSG_HOST, steps, c_null_ptr)
    end function placed
end module psg
